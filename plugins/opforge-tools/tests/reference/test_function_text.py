import ast
import math

import pytest
from opforge_tools.reference.function_text import (
    annotation_text,
    constructor_text,
    default_text,
    input_rows,
    operator_text,
)

from opforge.cli.reference.declarations import Layer, Operator
from opforge.op.declaring.attribute import Attribute, DType, Shape
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry.entry import Entry


def text_of(visible=1, **body):
    prop_class = type("Op", (OperatorProp,), {"name": "op", **body})
    operator = Operator(Entry("op", prop_class), visible)
    return operator_text(operator, "NDArray", "NDArray", ("out: NDArray | None = None",))


@pytest.mark.parametrize(
    ("attribute", "annotation", "default"),
    [
        (Attribute(int), "int", "..."),
        (Attribute(float, default=None), "float | None", "None"),
        (Attribute(Shape, default=(1, 2)), "int | Sequence[int]", "(1, 2)"),
        (Attribute(str, choices=("a", "b"), default="a"), "Literal['a', 'b']", "'a'"),
        (Attribute(DType, default="int8"), "str | type", "'int8'"),
        (Attribute(float, default=math.inf), "float", "..."),
    ],
)
def test_attributes(attribute, annotation, default):
    assert (annotation_text(attribute), default_text(attribute)) == (annotation, default)


def test_one_input_and_required_attributes():
    text = text_of(k=Attribute(int), axis=Attribute(int, default=0))
    assert text == "(data: NDArray, k: int, axis: int = 0, out: NDArray | None = None) -> NDArray"


def test_required_attributes_keep_their_position():
    text = text_of(axis=Attribute(int, default=0), k=Attribute(int))
    assert text.startswith("(data: NDArray = ..., axis: int = 0, k: int = ..., out")


def test_several_inputs():
    text = text_of(arguments=("a", "b"), auxiliary_states=("m",), k=Attribute(int))
    assert text.startswith("(a: NDArray = ..., b: NDArray | None = None, m: NDArray | None = None,")


def test_rows_of_inputs_describe_auxiliary_states():
    body = {"auxiliary_states": ("m", "v"), "argument_docs": {"data": "any", "v": "shape (1,)"}}
    rows = input_rows(type("Op", (OperatorProp,), {"name": "op", **body}))
    assert rows == [
        ("data", "any"),
        ("m", "auxiliary state"),
        ("v", "auxiliary state, shape (1,)"),
    ]


def test_outputs():
    assert text_of(visible=2).endswith("-> list[NDArray]")
    assert text_of(visible=None).endswith("-> Any")


def test_variable_number_of_inputs():
    text = text_of(variadic="n", n=Attribute(int, default=1), dim=Attribute(int, default=1))
    assert text.startswith("(*data: NDArray, n: int = 1, dim: int = 1, out")


def test_names_that_are_no_parameters():
    assert text_of(arguments=("in", "lambda")) == "(*args: Any, **kwargs: Any) -> NDArray"


def constructor(source):
    return constructor_text(Layer("L", "p", "1", arguments=ast.parse(source).body[0].args))


def test_constructors():
    assert constructor_text(Layer("L", "p", "1")) == "(self, **kwargs: Any)"
    text = constructor("def f(self, n: int, init: Own = Own(), *, x: np.ndarray = -1, **k): ...")
    assert text == "(self, n: int, init: Any=..., *, x: Any=-1, **k: Any)"
    assert constructor("def f(self, f: Sequence[int] | None = None): ...") == (
        "(self, f: Sequence[int] | None=None)"
    )
