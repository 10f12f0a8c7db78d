"""Looking up a name costs next to nothing in every namespace, whether the name exists or not.

What is counted are the functions in Python that a look-up enters, which no noise can move: a kept
attribute enters none, and a missing name the module's ``__getattr__`` and what makes the error.
"""

import importlib

import pytest

import opforge

#: Namespace -> a name of it that is kept as an attribute once it was used.
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
#: Namespaces whose names may mean another plugin's class each time, and are looked up anew.
SETTLED_EACH_TIME = {"gluon.nn": "Dense", "gluon.rnn": "LSTM", "gluon.model_zoo": "get_model"}
MISSING_COSTS = 8


@pytest.fixture
def late_operators(monkeypatch):
    """Return nothing; register the operators that no first-party plugin has a namespace for."""
    from opforge.op.declaring.declaration import OperatorProp
    from opforge.op.registry import registry

    class Late(OperatorProp):
        """Return its input."""

        name = "_linalg_LATE"

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
def test_a_missing_operator_costs_two_calls(name, python_calls):
    module = module_of(name)
    assert python_calls(lambda: hasattr(module, "nothing_of_the_kind")) == 2


def test_modules_of_plugins(python_calls):
    """They are found anew each time; import statements and dots cost no scan of folders."""
    assert python_calls(lambda: opforge.image) <= 25
    assert python_calls(lambda: hasattr(opforge, "nothing_of_the_kind")) <= 25
