"""Python operators on arrays: arithmetic, comparison, truth value, conversion."""

import fractions
import operator

import numpy as np
import pytest

from opforge import autograd, nd
from opforge.base.errors import OpforgeError

ARITHMETIC = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.mod,
    operator.pow,
]
INPLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.imod]
COMPARISONS = [operator.eq, operator.ne, operator.gt, operator.ge, operator.lt, operator.le]
NUMBERS = [2, 2.5, True, np.float32(2.5), np.float64(2), np.int64(3), np.bool_(True)]
STRANGERS = [None, "1", [1, 2], (1,), {}, 1j, object(), np.array(["1"])]
VALUES = np.array([1.0, 2.0, 5.0], np.float32)


@pytest.mark.parametrize("number", [*NUMBERS, fractions.Fraction(1, 2)])
@pytest.mark.parametrize("call", ARITHMETIC)
def test_arithmetic_with_numbers_on_either_side(call, number):
    x = nd.array(VALUES)
    for result, expected in [
        (call(x, number), call(VALUES, float(number))),
        (call(number, x), call(float(number), VALUES)),
    ]:
        assert isinstance(result, nd.NDArray)
        assert result.dtype == np.float32
        np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("call", ARITHMETIC)
def test_arithmetic_of_arrays(call):
    result = call(nd.array(VALUES), nd.array(VALUES[::-1]))
    np.testing.assert_allclose(result.asnumpy(), call(VALUES, VALUES[::-1]), rtol=1e-6)


@pytest.mark.parametrize("right", [2.5, np.int64(2), "array"])
@pytest.mark.parametrize("call", INPLACE)
def test_in_place_forms_write_into_the_same_memory(call, right):
    x = nd.array(VALUES)
    window = x[:]
    other = nd.array(VALUES[::-1]) if isinstance(right, str) else right
    other_np = VALUES[::-1] if isinstance(right, str) else float(right)
    result = call(x, other)
    assert result is x
    expected = getattr(operator, call.__name__[1:])(VALUES, other_np)
    np.testing.assert_allclose(window.asnumpy(), expected, rtol=1e-6)


def test_power_in_place_makes_a_new_array():
    x = old = nd.array(VALUES)
    x **= 2
    assert x is not old
    np.testing.assert_array_equal(old.asnumpy(), VALUES)
    np.testing.assert_array_equal(x.asnumpy(), VALUES**2)


@pytest.mark.parametrize("stranger", STRANGERS, ids=lambda item: type(item).__name__)
@pytest.mark.parametrize("call", [*ARITHMETIC, *INPLACE])
def test_other_types_are_rejected_by_name(call, stranger):
    x = nd.array(VALUES)
    with pytest.raises(TypeError, match=type(stranger).__name__):
        call(x, stranger)
    np.testing.assert_array_equal(x.asnumpy(), VALUES)


@pytest.mark.parametrize("call", [*ARITHMETIC, *INPLACE, *COMPARISONS])
def test_numpy_operands_are_copied(call):
    other = VALUES[::-1].copy()
    found = call(nd.array(VALUES), other)
    wanted = call(nd.array(VALUES), nd.array(other))
    other[:] = 0
    np.testing.assert_array_equal(found.asnumpy(), wanted.asnumpy())


def test_operators_that_mxnet_lacks():
    with pytest.raises(TypeError):
        divmod(nd.array(VALUES), nd.array(VALUES))


def test_pow_has_no_third_argument():
    with pytest.raises(TypeError, match="third argument"):
        pow(nd.array(VALUES), 2, 3)


@pytest.mark.parametrize("call", COMPARISONS)
def test_comparisons_return_the_dtype_of_the_operands(call):
    for dtype in (np.float32, np.int32):
        x, other = VALUES.astype(dtype), VALUES[::-1].astype(dtype)
        result = call(nd.array(x, dtype=dtype), nd.array(other, dtype=dtype))
        assert result.dtype == dtype
        assert result.asnumpy().tolist() == call(x, other).tolist()
        assert call(nd.array(x, dtype=dtype), 2).asnumpy().tolist() == call(x, 2).tolist()
        assert call(2, nd.array(x, dtype=dtype)).asnumpy().tolist() == call(2, x).tolist()


def test_none_is_never_equal_to_an_array():
    x = nd.array(VALUES)
    assert (x == None) is False  # noqa: E711 - the comparison is what is tested
    assert (x != None) is True  # noqa: E711
    with pytest.raises(TypeError):
        x < None  # noqa: B015


def test_unary_forms():
    x = nd.array([-1.5, 0, 2])
    assert (-x).asnumpy().tolist() == [1.5, 0, -2]
    assert abs(x).asnumpy().tolist() == [1.5, 0, 2]


def test_hash_is_the_arrays_own():
    x, y = nd.array(VALUES), nd.array(VALUES)
    assert hash(x) == hash(x)
    assert {x: 1, y: 2}[x] == 1


def test_truth_is_that_of_the_only_element():
    assert bool(nd.array([2]))
    assert not nd.array([0])
    assert not nd.zeros((0, 3))
    assert nd.array([[float("nan")]])
    with pytest.raises(ValueError, match=r"truth value .* is ambiguous"):
        bool(nd.array([1, 1]))


def test_conversion_to_numbers():
    assert float(nd.array([2.5])) == 2.5
    assert int(nd.array([[2.7]])) == 2
    assert int(nd.array([2**53 + 1], dtype="int64")) == 2**53 + 1
    assert type(float(nd.array([2], dtype="int32"))) is float
    for convert in (float, int):
        with pytest.raises(ValueError, match=r"not a scalar.*\(3,\)"):
            convert(nd.array(VALUES))
    with pytest.raises(TypeError, match=r"integer array of one element .* got float32 \(3,\)"):
        operator.index(nd.array(VALUES))


def test_only_integer_arrays_are_indices():
    letters = ["a", "b", "c"]
    assert letters[nd.array([1], dtype="int32")] == "b"
    assert letters[nd.array([2], dtype="int64")] == "c"
    assert range(3)[nd.array([1], dtype="uint8")] == 1
    for dtype in ("float32", "bool"):
        with pytest.raises(TypeError, match="integer array of one element"):
            letters[nd.array([1], dtype=dtype)]


def test_length_is_the_first_dimension():
    assert len(nd.zeros((4, 2))) == 4
    assert len(nd.zeros((0, 2))) == 0
    with pytest.raises(TypeError, match="without dimensions"):
        len(nd.array(3))


@pytest.mark.parametrize("call", INPLACE)
def test_in_place_forms_are_rejected_on_a_recorded_graph(call):
    x, other = nd.array(VALUES), nd.array(VALUES)
    x.attach_grad()
    with autograd.record():
        for left, right in [(x, 2), (x, other), (other, x), (x * 2, 3)]:
            with pytest.raises(OpforgeError, match="not supported when recording"):
                call(left, right)
        call(other, 2)  # leads to no variable
    np.testing.assert_array_equal(x.asnumpy(), VALUES)


@pytest.mark.parametrize("call", [operator.add, operator.sub, operator.mul, operator.truediv])
@pytest.mark.parametrize("reverse", [False, True])
def test_gradients_of_the_forms_with_numbers(call, reverse):
    x = nd.array(VALUES)
    x.attach_grad()
    with autograd.record():
        y = call(3, x) if reverse else call(x, 3)
    y.backward()
    step = 1e-3
    wide = VALUES.astype(np.float64)
    above, below = ((3, wide + s) if reverse else (wide + s, 3) for s in (step, -step))
    slope = (call(*above) - call(*below)) / (2 * step)
    np.testing.assert_allclose(x.grad.asnumpy(), slope, rtol=1e-4)
