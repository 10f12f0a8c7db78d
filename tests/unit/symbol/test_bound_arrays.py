import pytest

import opforge as mx
from opforge import nd
from opforge.base.errors import ShapeError
from opforge.symbol.bound_arrays import expect_complete, overwrite, reshaped, zeros


def test_zeros():
    made = zeros((2, 3), 1, mx.cpu(1))
    assert made.asnumpy().tolist() == [[0] * 3] * 2
    assert (made.dtype_code, made.context) == (1, mx.cpu(1))


def test_one_of_the_same_shape_is_the_array_itself():
    old = nd.ones((2, 3))
    assert reshaped("arg:x", old, (2, 3), False, False) is old


@pytest.mark.parametrize("shape", [(1, 3), (6,), (3, 2), (1,)])
def test_one_that_is_not_larger_has_the_memory(shape):
    old = nd.zeros((2, 3))
    made = reshaped("arg:x", old, shape, True, False)
    made[:] = 5
    assert made.shape == shape
    assert old.asnumpy().ravel()[: made.size].tolist() == [5] * made.size
    assert old.sum().asscalar() == 5 * made.size


def test_a_larger_one_is_new():
    old = nd.ones((2, 3))
    made = reshaped("arg:x", old, (4, 3), True, True)
    assert made.asnumpy().tolist() == [[0] * 3] * 4
    with pytest.raises(ShapeError, match=r"arg:x is larger than \(2, 3\).*allow_up_sizing"):
        reshaped("arg:x", old, (4, 3), True, False)


def test_one_that_may_not_change():
    with pytest.raises(ShapeError, match=r"unspecified array arg:x changed from \(2, 3\)"):
        reshaped("arg:x", nd.ones((2, 3)), (1, 3), False, True)


@pytest.mark.parametrize("shape", [(), (0, 2), (-1, 2), None])
def test_shapes_that_are_not_whole(shape):
    expect_complete(["x"], [(1, 2)])
    with pytest.raises(ValueError, match="shape of 'y' is"):
        expect_complete(["x", "y"], [(1, 2), shape])


def test_values_are_copied_into_an_array():
    arrays = {"x": nd.zeros((2,))}
    target = arrays["x"]
    overwrite(arrays, "x", nd.array([1.0, 2.0]), "argument")
    overwrite(arrays, "x", target, "argument")
    assert arrays["x"] is target
    assert target.asnumpy().tolist() == [1, 2]


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("y", nd.ones((2,)), TypeError, "Unknown argument y; the arguments are x"),
        ("x", 1.0, TypeError, "only accept arguments as NDArray, x is <class 'float'>"),
        ("x", nd.ones((3,)), ShapeError, r"argument x, need: \(2,\), received: \(3,\)"),
    ],
)
def test_values_that_do_not_fit(name, value, error, message):
    with pytest.raises(error, match=message):
        overwrite({"x": nd.zeros((2,))}, name, value, "argument")
