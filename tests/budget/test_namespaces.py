"""Looking up a name is cheap in every namespace, whether the name exists or not.

The tests count the Python functions that a lookup enters, which noise cannot affect: a kept
attribute enters none, a missing name the module's ``__getattr__`` and the function that creates
the error.
"""

import importlib

import pytest

import opforge

#: Namespace -> a name in it that is kept as an attribute after its first use.
KEPT = {
    "ndarray": "dot",
    "ndarray.op": "dot",
    "ndarray._internal": "_plus_scalar",
    "ndarray.contrib": "isnan",
    "ndarray.image": "to_tensor",
    "ndarray.linalg": "LATE",
    "ndarray.sparse": "dot",
    "ndarray.random": "uniform",
    "symbol": "dot",
    "symbol.op": "dot",
    "symbol._internal": "_plus_scalar",
    "symbol.contrib": "isnan",
    "symbol.image": "to_tensor",
    "symbol.linalg": "LATE",
    "symbol.sparse": "dot",
    "symbol.random": "uniform",
    "gluon.loss": "L2Loss",
    "metric": "Accuracy",
    "optimizer": "SGD",
    "initializer": "Xavier",
    "lr_scheduler": "FactorScheduler",
    "io": "NDArrayIter",
    "gluon.data": "DataLoader",
}
#: Namespaces that look up names each time, because they may mean another plugin's class.
SETTLED_EACH_TIME = {"gluon.nn": "Dense", "gluon.rnn": "LSTM", "gluon.model_zoo": "get_model"}
MISSING_COSTS = 8


@pytest.fixture
def late_operators(monkeypatch):
    """Register operators in the namespaces that no first-party plugin has operators for."""
    from opforge.op.declaring.declaration import OperatorProp
    from opforge.op.registry import registry

    class Late(OperatorProp):
        """Return its input."""

        name = "_linalg_LATE"

    # Their own registrations must outlast this fixture, whichever test imports them first.
    for name in KEPT:
        module_of(name)
    with registry.temporary():
        registry.register_operator(Late)
        yield


def module_of(name):
    return importlib.import_module(f"opforge.{name}")


@pytest.mark.parametrize("name", KEPT)
def test_a_name_that_was_used_is_an_attribute(name, python_calls, late_operators):
    module, attribute = module_of(name), KEPT[name]
    assert python_calls(lambda: getattr(module, attribute)) == 0


@pytest.mark.parametrize("name", SETTLED_EACH_TIME)
def test_a_class_of_a_plugin_is_found_in_few_steps(name, python_calls):
    module, attribute = module_of(name), SETTLED_EACH_TIME[name]
    assert python_calls(lambda: getattr(module, attribute)) <= 4


@pytest.mark.parametrize("name", [*KEPT, *SETTLED_EACH_TIME, "gluon", "test_utils", "autograd"])
def test_a_missing_name_costs_no_text(name, python_calls):
    module = module_of(name)
    assert not hasattr(module, "nothing_of_the_kind")
    assert python_calls(lambda: hasattr(module, "nothing_of_the_kind")) <= MISSING_COSTS
    assert python_calls(lambda: getattr(module, "nothing_of_the_kind", None)) <= MISSING_COSTS


@pytest.mark.parametrize("name", ["ndarray", "ndarray.contrib", "symbol", "symbol.sparse"])
def test_a_missing_operator_costs_three_calls(name, python_calls):
    """Plugins may add names to the parts of both."""
    module = module_of(name)
    assert python_calls(lambda: hasattr(module, "nothing_of_the_kind")) <= 3


def test_modules_of_plugins(python_calls):
    """Names are looked up each time; import statements and dots scan no folders."""
    assert python_calls(lambda: opforge.image) <= 25
    assert python_calls(lambda: hasattr(opforge, "nothing_of_the_kind")) <= 25
