import numpy as np
import pytest

from opforge import nd, sym
from opforge.base.dtypes import code_of
from opforge.base.numpy_semantics import np_array
from opforge.symbol.arithmetic import two_sided
from opforge.symbol.variable import typed_variable

LEFT = np.array([[1.0, 5.0, 2.0]], dtype=np.float32)
RIGHT = np.array([[2.0, 3.0, 2.0]], dtype=np.float32)


@pytest.fixture
def a():
    return sym.var("a")


def value(symbol):
    given = {"a": nd.array(LEFT), "b": nd.array(RIGHT)}
    wanted = {name: given[name] for name in symbol.list_arguments()}
    return symbol.eval(**wanted)[0].asnumpy()


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * b,
        lambda a, b: a / b,
        lambda a, b: a % b,
        lambda a, b: a**b,
        lambda a, b: a == b,
        lambda a, b: a != b,
        lambda a, b: a > b,
        lambda a, b: a >= b,
        lambda a, b: a < b,
        lambda a, b: a <= b,
    ],
)
def test_on_symbols_and_numbers_on_either_side(a, function):
    b = sym.var("b")
    for symbol, reference in (
        (function(a, b), function(LEFT, RIGHT)),
        (function(a, 2), function(LEFT, np.float32(2))),
        (function(2, b), function(np.float32(2), RIGHT)),
        (function(a, np.float32(2)), function(LEFT, np.float32(2))),
    ):
        np.testing.assert_allclose(value(symbol), reference, rtol=1e-6)


def test_signs(a):
    np.testing.assert_array_equal(value(-a), -LEFT)
    np.testing.assert_array_equal(value(abs(-a)), LEFT)


def test_equal_shapes_unless_they_are_known_to_differ(a):
    def operator(symbol):
        return symbol.edges[0][0].operation.name

    assert operator(a + sym.var("b")) == "elemwise_add"
    x, y = typed_variable("x", (2, 1), 0), typed_variable("y", (3,), 0)
    assert operator(x + y) == "broadcast_add"
    assert (x + y).shape == (2, 3)
    assert operator(x + x) == "elemwise_add"
    assert operator(two_sided("add", a, a, broadcasts=True)) == "broadcast_add"


def test_other_operands_are_rejected(a):
    for other in ("a", [1], None):
        with pytest.raises(TypeError, match=r"type <class '.*'> not supported"):
            a + other
        with pytest.raises(TypeError):
            other * a


def test_methods_of_arrays(a):
    assert a.reshape((3, 1)).infer_shape(a=(1, 3))[1] == [(3, 1)]
    assert a.reshape(3, -1).infer_shape(a=(1, 3))[1] == [(3, 1)]
    assert a.reshape(shape=(0, -1)).list_attr() == {"shape": "(0, -1)"}
    assert a.reshape((-1, 0), reverse=True).attr("reverse") == "True"
    with pytest.raises(TypeError, match=r"unknown arguments \['shap'\]"):
        a.reshape(shap=(1,))
    shape = {"a": (1, 3, 2)}
    expected = {
        a.T: (2, 3, 1),
        a.transpose((1, 0, 2)): (3, 1, 2),
        a.transpose(1, 0, 2): (3, 1, 2),
        a.expand_dims(0): (1, 1, 3, 2),
        a.flatten(): (1, 6),
        a.squeeze(): (3, 2),
        a.squeeze(axis=0): (3, 2),
        a.broadcast_to((4, 3, 2)): (4, 3, 2),
        a.copy(): (1, 3, 2),
        a.detach(): (1, 3, 2),
        a.sum(axis=1): (1, 2),
    }
    for symbol, want in expected.items():
        assert symbol.infer_shape(**shape)[1] == [want]
    assert a.astype("float16").infer_type(a="float32")[1] == [np.float16]
    like = a.broadcast_like(rhs=sym.var("b"))
    assert like.infer_shape(a=(1, 3), b=(4, 3))[1] == [(4, 3)]


def test_arrays_of_numpy_broadcast_if_shapes_are_unknown(a):
    with np_array():
        total = a + sym.var("b")
    assert total.infer_shape(a=(2, 1), b=(3,))[1] == [(2, 3)]
    equal = typed_variable("c", (2,), 0)
    with np_array():
        assert "elemwise_add" in (equal + equal).tojson()


def test_array_class_conversions_return_the_symbol(a):
    assert a.as_np_ndarray() is a
    assert a.as_nd_ndarray() is a


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("float32", "int64", "float32"),
        ("bool", "int32", "int32"),
        ("float64", "float32", "float64"),
    ],
)
def test_arrays_of_numpy_are_promoted(left, right, expected):
    a, b = (typed_variable(n, (2,), code_of(t)) for n, t in (("a", left), ("b", right)))
    with np_array():
        total = a * b
    assert total.dtype == np.dtype(expected)


def test_arrays_of_numpy_flatten_to_one_axis(a):
    assert a.flatten().infer_shape(a=(2, 3, 4))[1] == [(2, 12)]
    with np_array():
        assert a.flatten().infer_shape(a=(2, 3, 4))[1] == [(24,)]
