"""Tests of generated functions."""

import inspect

import pytest

from opforge.base.errors import AttributeValueError
from opforge.op.calling.signature import make_function
from opforge.op.declaring.attribute import REQUIRED, UNSET, Attribute
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry.registry import Entry


class Dense(OperatorProp):
    """Multiply by a matrix.

    Longer text.

    Examples
    --------
    >>> 1
    1
    """

    name = "dense"
    arguments = ("data", "weight")
    argument_docs = {"data": "shape (n, c)"}
    units = Attribute(int, ge=1, doc="Width.")
    flatten = Attribute(bool, default=True)


class Concat(OperatorProp):
    name = "concat"
    variadic = "num_args"
    num_args = Attribute(int, default=1)
    dim = Attribute(int, default=1)


class Keyword(OperatorProp):
    name = "keyword"
    arguments = ("in", "lambda")
    k = Attribute(int, default=2)


def function_of(prop_class):
    return make_function(Entry(prop_class.name, prop_class), lambda *call: call, "handle")


@pytest.mark.parametrize("prop_class", [Dense, Concat, Keyword])
def test_symbols_ignore_out(prop_class):
    call = make_function(
        Entry(prop_class.name, prop_class), lambda *call: call, "handle", symbolic=True
    )
    assert call("x", "y", name="n", out="x") == call("x", "y", name="n")
    assert call("x", "y", name="n", out="x")[3:] == ("n", None)


def test_symbolic_signature():
    function = make_function(Entry("dense", Dense), lambda *call: call, symbolic=True)
    assert list(inspect.signature(function).parameters)[-3:] == ["name", "attr", "out"]


def test_call_passes_tuples():
    dense = function_of(Dense)
    assert dense("x", "w", 3) == ("handle", ("x", "w"), (3, UNSET), None)
    assert dense(weight="w", data="x", flatten=False, out="o", name="n") == (
        "handle",
        ("x", "w"),
        (UNSET, False),
        "o",
    )


def test_variadic_counts_its_inputs():
    concat = function_of(Concat)
    assert concat("a", "b", dim=0) == ("handle", ("a", "b"), (2, 0), None)
    assert list(inspect.signature(concat).parameters) == ["data", "num_args", "dim", "out", "name"]


def test_inputs_that_are_python_keywords():
    keyword = function_of(Keyword)
    assert keyword(**{"in": "x", "lambda": "y"}) == ("handle", ("x", "y"), (UNSET,), None)
    assert keyword("x", "y", 3)[2] == (3,)
    with pytest.raises(TypeError, match="two values for 'in'"):
        keyword("x", **{"in": "y"})
    with pytest.raises(TypeError, match="takes 3 arguments"):
        keyword(1, 2, 3, 4)
    with pytest.raises(AttributeValueError):
        keyword("x", kk=2)


def test_unknown_keyword():
    with pytest.raises(AttributeValueError, match="Cannot find argument 'unit'") as caught:
        function_of(Dense)("x", unit=3)
    assert "Did you mean units?" in str(caught.value)


def test_signature_shows_real_defaults():
    dense = function_of(Dense)
    parameters = inspect.signature(dense).parameters
    assert list(parameters) == ["data", "weight", "units", "flatten", "out", "name"]
    assert parameters["units"].default is REQUIRED
    assert parameters["flatten"].default is True
    assert [p.annotation for p in parameters.values()][2:4] == [int, bool]
    assert (dense.__name__, dense.__qualname__, dense.__module__) == (
        "dense",
        "dense",
        "opforge.ndarray",
    )


def test_documentation():
    doc = function_of(Dense).__doc__
    assert doc.startswith("Multiply by a matrix.\n\nLonger text.\n\nParameters\n----------\n")
    assert "data : NDArray\n    shape (n, c)\nweight : NDArray\n" in doc
    assert "units : int, required, units >= 1\n    Width." in doc
    assert doc.index("Returns\n-------\noutput : NDArray") < doc.index("Examples\n--------")


def test_body_is_one_call():
    lines = function_of(Dense).__code__.co_names
    assert set(lines) <= {"attached", "invoke", "handle"}
