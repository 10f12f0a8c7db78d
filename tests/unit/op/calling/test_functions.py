"""Tests of the functions that namespaces cache."""

import contextvars

import pytest

import opforge as mx
from opforge.base.errors import OperatorNotFoundError
from opforge.op.calling import functions as module
from opforge.op.calling.functions import (
    Functions,
    RenamedOperators,
    SubNamespace,
    contested,
    forget_functions,
)
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry import registry, table
from opforge.op.registry.preference import preferring


@pytest.fixture
def namespace(monkeypatch):
    """Return a namespace and its functions, which are (provider, number created before)."""
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


def test_contested_names_are_not_attributes(namespace):
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


def test_forgetting_leaves_what_a_program_put_in_place_of_an_operator(namespace):
    attributes, functions = namespace
    functions.get("x")
    attributes["x"] = "own"
    forget_functions()
    assert attributes == {"x": "own"}


class Parent:
    """A namespace of operators with its own attribute."""

    own = "own"

    def __init__(self, functions):
        self._functions = functions

    def __getattr__(self, name):
        return self._functions.get(name)


@pytest.fixture
def door(namespace):
    """Return the attributes of a sub-namespace with two prefixes, and the function to look up."""
    _, functions = namespace
    parent = Parent(functions)
    attributes = {"__name__": "door"}
    return attributes, SubNamespace(attributes, ("_pre_", ""), lambda: parent).attribute


def declare(name):
    registry.register_operator(type("Late", (OperatorProp,), {"name": name}), "late", "1", "plugin")


def test_a_missing_name_is_looked_up_once(namespace, monkeypatch):
    _, functions = namespace
    asked = []
    monkeypatch.setattr(registry.OPERATORS, "_decide", decide_noting(asked))
    for _ in range(3):
        with pytest.raises(OperatorNotFoundError, match="operator 'late'"):
            functions.get("late")
    assert asked == ["late"] and functions.missing == {"late"}


def decide_noting(asked):
    decide = registry.OPERATORS._decide

    def noting(name):
        asked.append(name.name)
        return decide(name)

    return noting


def test_an_operator_that_is_registered_late_is_found(namespace, door):
    _, functions = namespace
    attributes, attribute = door
    for missing in (functions.get, attribute):
        with pytest.raises(OperatorNotFoundError):
            missing("late")
    declare("late")
    assert functions.get("late")[0] == "late"
    assert attribute("late") is functions.get("late")
    assert attributes["late"] is functions.get("late")


def test_a_prefixed_operator_that_is_registered_late_goes_first(door):
    attributes, attribute = door
    assert attribute("x")[0] == "a" and attributes["x"][0] == "a"
    declare("_pre_x")
    assert "x" not in attributes
    assert attribute("x")[0] == "late" and attributes["x"][0] == "late"


def test_undone_registrations_restore_the_name(namespace, door):
    _, attribute = door
    with registry.temporary():
        declare("_pre_x")
        assert attribute("x")[0] == "late"
    forget_functions()
    assert attribute("x")[0] == "a"


def test_attributes_of_the_parent_are_the_door_s(door):
    attributes, attribute = door
    assert attribute("own") == "own" and attributes["own"] == "own"


def test_contested_names_are_not_attributes_of_a_namespace(door):
    attributes, attribute = door
    attribute("x")
    for name in ("x", "_pre_x"):
        with contested([name]):
            assert "x" not in attributes
            attribute("x")
            assert "x" not in attributes
        attribute("x")
        assert "x" in attributes


def test_python_s_own_names_are_no_operators(door):
    with pytest.raises(AttributeError, match="module 'door' has no attribute '__wrapped__'"):
        door[1]("__wrapped__")


def test_the_number_of_missing_names_is_bounded(namespace, monkeypatch):
    monkeypatch.setattr(module, "MAX_MISSING", 3)
    monkeypatch.setattr(table, "MAX_SETTLED", 3)
    _, functions = namespace
    for at in range(10):
        with pytest.raises(OperatorNotFoundError):
            functions.get(f"missing_{at}")
        assert len(functions.missing) <= 3 and len(registry.OPERATORS._settled) <= 3


def test_keywords_of_an_operator_without_attributes_are_ignored_with_a_warning():
    x = mx.nd.array([-1.0, 2.0])
    with pytest.warns(UserWarning, match="operator 'abs': unknown arguments 'foo' are ignored"):
        assert mx.nd.abs(x, foo=1).asnumpy().tolist() == [1, 2]
    with pytest.warns(UserWarning, match="'foo', 'bar'.* expected only the inputs data"):
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


def test_renamed_operators_are_functions_of_their_names():
    attributes = {"__name__": "renamed"}
    attribute = RenamedOperators(attributes, {"half": "x"}, lambda: nd_like).attribute
    half = attribute("half")
    assert attributes["half"] is half
    assert (half.__name__, half.__qualname__, half.__module__) == ("half", "half", "renamed")
    assert half.__doc__ == "Halve."
    assert half(4) == half(4, by=2) == 2
    with pytest.raises(AttributeError, match="module 'renamed' has no attribute 'x'"):
        attribute("x")


class nd_like:
    @staticmethod
    def x(data, *, by=2):
        """Halve."""
        return data // by


def test_attributes_added_by_plugins_are_kept(namespace, monkeypatch):
    attributes, made = namespace
    attributes["__name__"] = "opforge.here"
    added = {"other": object()}
    monkeypatch.setattr(
        module,
        "alias_of",
        lambda path, name: (
            (lambda: added[name]) if (path, name) == ("opforge.here", "other") else None
        ),
    )
    assert made.attribute("x")[0] == "a"
    assert made.attribute("other") is added["other"] is attributes["other"]
    for _ in range(2):
        with pytest.raises(OperatorNotFoundError):
            made.attribute("nothing")
