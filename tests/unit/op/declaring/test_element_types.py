"""Declared element types: what is accepted, what results, and the error."""

import numpy as np
import pytest

from opforge import nd, sym
from opforge.base.errors import DTypeError, OperatorError
from opforge.native.dispatch.invoking import invoke
from opforge.op.calling.binding import make_handle
from opforge.op.declaring.attribute import Attribute, DType
from opforge.op.declaring.custom import CustomOp
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.declaring.element_types import accepted_types, type_masks, type_rows
from opforge.op.registry.entry import Entry


class Pick(OperatorProp):
    """Pick rows."""

    name = "pick_rows"
    arguments = ("data", "weight", "index")
    outputs = ("output", "count", "sum")
    auxiliary_states = ("seen",)
    dtypes = ("floating",)
    argument_dtypes = {"index": ("integer",), "seen": ("int64",)}
    output_dtypes = {
        "count": ("dtype", "int32"),
        "sum": {"float16": "float32", "bfloat16": "float32"},
    }
    dtype = Attribute(DType, default=None, doc="Type of the count.")


class Copy(CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0])


class Planned(OperatorProp):
    """Copy `data`."""

    name = "planned"
    dtypes = ("float32", "int64")
    auxiliary_states = ("state",)

    def infer_shape(self, in_shape):
        return in_shape, in_shape, in_shape

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Copy()


class Composed(OperatorProp):
    """Return `data`."""

    name = "composed"
    dtypes = ("int8", "bool")

    def compose(self, F, data):
        return F.identity(data)


def called(prop_class, *inputs):
    entry = Entry(prop_class.name, prop_class, "acme", "2", "plugin")
    return invoke(make_handle(entry), inputs, ())


def test_accepted_types():
    assert accepted_types(Pick, "weight") == ("float32", "float64", "float16", "bfloat16")
    assert accepted_types(Pick, "index") == ("uint8", "int32", "int8", "int64")
    assert accepted_types(Pick, "seen") == ("int64",)
    assert type_masks(OperatorProp, ["data"]) is None
    assert type_masks(Composed, ["data"]) == (1 << 5 | 1 << 7,)


def test_types_that_result():
    half, whole = np.float16, np.int64
    found = Pick().infer_type([half, None, None])
    assert found == ([half, half, np.uint8], [half, np.int32, np.float32], [half])
    assert Pick(dtype="int64").infer_type([None, np.float64, whole]) == (
        [np.float64, np.float64, whole],
        [np.float64, np.int64, np.float64],
        [np.float64],
    )
    assert Pick().infer_type([None] * 3)[:2] == ([None] * 3, [None, np.int32, None])
    text = "'weight' has dtype float64; expected float16 because 'data' has it. Convert it with "
    with pytest.raises(DTypeError, match=text + r"weight.astype\('float16'\)"):
        Pick().infer_type([half, np.float64, whole])


@pytest.mark.parametrize(
    ("prop_class", "expected", "target"),
    [(Planned, "float32 or int64", "float32"), (Composed, "int8 or bool", "int8")],
)
def test_other_types_raise_one_error(prop_class, expected, target):
    state = [nd.zeros(2)] * len(prop_class.auxiliary_states)
    x = nd.ones(2, dtype=target)
    assert called(prop_class, x, *state).asnumpy().tolist() == [1, 1]
    name = prop_class.name
    with pytest.raises(DTypeError) as error:
        called(prop_class, x.astype("float64"), *state)
    assert str(error.value) == (
        f"operator {name!r} (plugin acme 2): input 'data' has dtype float64; expected {expected}. "
        f"Convert it with data.astype({target!r})"
    )
    assert isinstance(error.value, OperatorError)
    assert (error.value.operator, error.value.provider) == (name, "acme 2")


def test_types_of_states_are_checked():
    with pytest.raises(DTypeError, match="input 'state' has dtype float64; expected float32 or"):
        called(Planned, nd.ones(2), nd.zeros(2, dtype="float64"))


def test_graphs_raise_the_error_too():
    with pytest.raises(DTypeError, match=r"input 'lhs' has dtype bool; expected .* or bfloat16"):
        sym.dot(sym.var("a"), sym.var("b")).infer_type(a="bool", b="bool")


def test_bool_arrays_and_numbers_in_graphs():
    result = sym.var("x", dtype="bool") + 1
    assert result.infer_type(x="bool")[1] == [np.int64]
    bound = result.bind(None, {"x": nd.array([True, False])})
    assert bound.forward()[0].asnumpy().tolist() == [2, 1]


def test_rows_for_display():
    assert [(row["name"], row["role"], row["types"]) for row in type_rows(Pick)] == [
        ("data", "input", "float32, float64, float16, bfloat16"),
        ("weight", "input", "that of data"),
        ("index", "input", "uint8, int32, int8, int64"),
        ("seen", "auxiliary state", "int64"),
        ("output", "output", "that of data"),
        ("count", "output", "dtype, by default int32"),
        ("sum", "output", "float32 for float16, float32 for bfloat16; else that of data"),
    ]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"dtypes": "floating"}, r"'dtypes' are 'floating', expected .* write \('floating',\)"),
        ({"dtypes": ()}, r"'dtypes' are \(\), expected a tuple"),
        ({"dtypes": ("float8",)}, "'float8' is not an element type; expected some of any,"),
        ({"argument_dtypes": {"data": ("int",)}}, "types of 'data', 'int' is not an element type"),
        ({"output_dtypes": {"output": "kind"}}, "'kind' is not an element type, an attribute or"),
        ({"output_dtypes": {"output": {"bool": "kind"}}}, "'kind' is not an element type"),
    ],
)
def test_wrong_declarations(body, text):
    with pytest.raises(TypeError, match=rf"operator declaration Bad: .*{text}"):
        type("Bad", (OperatorProp,), {"name": "bad", **body})
