"""Tests of the functions that namespaces keep."""

import contextvars

import pytest

import opforge as mx
from opforge.op.calling import functions as module
from opforge.op.calling.functions import Functions, contested, forget_functions
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry import registry, table
from opforge.op.registry.preference import preferring


@pytest.fixture
def namespace(monkeypatch):
    """Return a namespace and its functions, which are (provider, number made before)."""
    monkeypatch.setattr(module, "_namespaces", [])
    monkeypatch.setattr(table, "_resolver", None)
    for name in ("_table", "_settled"):
        monkeypatch.setattr(registry.OPERATORS, name, {})
    monkeypatch.setenv("OPFORGE_PIN", "x=a")
    for provider in ("a", "b"):
        prop_class = type("Declared", (OperatorProp,), {"name": "x"})
        registry.register_operator(prop_class, provider, "1", "plugin")
    made = []

    def make(entry):
        made.append(entry)
        return entry.provider, len(made) - 1

    attributes = {}
    return attributes, Functions(attributes, make)


def test_the_first_use_makes_an_attribute(namespace):
    attributes, functions = namespace
    assert functions.get("x") == ("a", 0)
    assert attributes == {"x": ("a", 0)}


def test_a_contested_name_is_no_attribute(namespace):
    attributes, functions = namespace
    functions.get("x")
    with contested(["x"]), contested(["x", "y"]):
        assert attributes == {}
        with preferring("b"):
            assert functions.get("x") == ("b", 1)
            assert functions.get("x") == ("b", 1), "it is made once"
        assert functions.get("x") == ("a", 0)
        assert attributes == {}
    functions.get("x")
    assert attributes == {"x": ("a", 0)}


def test_a_context_that_outlives_its_block_does_not_reach_others(namespace):
    attributes, functions = namespace
    with contested(["x"]), preferring("b"):
        context = contextvars.copy_context()
    assert context.run(functions.get, "x") == ("b", 0)
    assert attributes == {}
    assert functions.get("x") == ("a", 1)


def test_forgetting_leaves_other_attributes(namespace):
    attributes, functions = namespace
    attributes["own"] = 1
    functions.get("x")
    forget_functions()
    assert attributes == {"own": 1}


def test_keywords_of_an_operator_without_attributes_are_ignored_with_a_warning():
    x = mx.nd.array([-1.0, 2.0])
    with pytest.warns(UserWarning, match="operator 'abs': got 'foo', which it does not have"):
        assert mx.nd.abs(x, foo=1).asnumpy().tolist() == [1, 2]
    with pytest.warns(UserWarning, match="'foo', 'bar'.* expected the inputs data alone"):
        assert mx.sym.abs(mx.sym.var("x"), foo=1, bar="b").list_arguments() == ["x"]
    with pytest.warns(UserWarning, match="'foo'"):
        assert x.abs(foo=1).asnumpy().tolist() == [1, 2]


def test_unknown_keywords_are_errors_where_they_may_be_meant():
    x = mx.nd.ones(2)
    with pytest.raises(mx.MXNetError, match="Cannot find argument 'foo'"):
        mx.nd.sum(x, foo=1)
    for inputs, function in ((x, mx.nd.abs), (mx.sym.var("x"), mx.sym.abs)):
        with pytest.raises(mx.MXNetError, match="'dat'"):
            function(dat=inputs)
