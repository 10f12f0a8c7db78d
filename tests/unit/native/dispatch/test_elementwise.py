"""Elementwise calls: broadcasting, out=, scalars of every dtype, recording."""

import itertools

import numpy as np
import pytest

from opforge import autograd, nd
from opforge.base.dtypes import NAMES, dtype_of
from opforge.base.errors import DTypeError, OpforgeError, ShapeError
from opforge.native.dispatch import tape

DTYPES = [dtype_of(code) for code in range(len(NAMES))]

SHAPES = [(), (1,), (3,), (1, 3), (2, 1), (2, 3), (0, 3), (4, 1, 3), (4, 2, 1), (4, 0, 1)]
NUMBERS = [t for t in DTYPES if t is not np.bool_]
LARGE = 20000  # more than one thread's share, and the GIL is released


def values(shape, dtype=np.float32):
    return (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 7 + 1).astype(dtype)


def array(shape, dtype=np.float32):
    return nd.array(values(shape, dtype), dtype=dtype)


@pytest.mark.parametrize(("left", "right"), list(itertools.product(SHAPES, SHAPES)))
def test_all_pairs_of_shapes_broadcast_as_in_numpy(left, right):
    try:
        expected = values(left) - values(right)
    except ValueError:
        with pytest.raises(ShapeError, match="could not be broadcast") as caught:
            nd.broadcast_sub(array(left), array(right))
        assert str(left) in str(caught.value)
        assert str(right) in str(caught.value)
        return
    result = nd.broadcast_sub(array(left), array(right))
    assert result.shape == expected.shape
    np.testing.assert_array_equal(result.asnumpy(), expected)
    np.testing.assert_array_equal((array(left) - array(right)).asnumpy(), expected)


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("size", [5, LARGE])
def test_result_has_the_dtype_of_the_operands(dtype, size):
    x = array((size,), dtype)
    for result, expected in [(x + x, 2), (x - x, 0), (x == x, None), (nd.square(x), None)]:
        assert result.dtype == dtype
        if expected is not None:
            np.testing.assert_array_equal(result.asnumpy(), values((size,), dtype) * expected)


def test_mixed_dtypes_are_rejected_with_a_suggestion():
    with pytest.raises(DTypeError, match=r"float32 and int32.*astype"):
        array((2,)) + array((2,), np.int32)


def test_elemwise_operators_do_not_broadcast():
    with pytest.raises(ShapeError, match=r"\(3,\) and \(1,\).*broadcast_"):
        nd.elemwise_add(array((3,)), array((1,)))


def test_out_is_returned_and_filled():
    x, out = array((2, 3)), nd.zeros((2, 3))
    assert nd.square(x, out=out) is out
    np.testing.assert_array_equal(out.asnumpy(), values((2, 3)) ** 2)
    assert nd.broadcast_add(x, array((3,)), out=out) is out
    np.testing.assert_array_equal(out.asnumpy(), values((2, 3)) + values((3,)))


@pytest.mark.parametrize("out", [((3, 2), "float32"), ((2, 3), "int32"), ((6,), "float32")])
def test_out_that_does_not_fit_is_rejected_and_left_alone(out):
    shape, dtype = out
    target = nd.zeros(shape, dtype=dtype)
    x = array((2, 3))
    calls = [
        lambda: nd.square(x, out=target),
        lambda: nd.broadcast_add(x, x, out=target),
        lambda: nd.broadcast_add(x, array((3,)), out=target),
    ]
    for call in calls:
        with pytest.raises(ShapeError, match=r"expected \(2, 3\) and float32"):
            call()
    assert not target.asnumpy().any()


@pytest.mark.parametrize("out", [3, "text", np.zeros((2,), np.float32)])
def test_out_must_be_an_array(out):
    with pytest.raises(TypeError, match="out must be an NDArray"):
        nd.square(array((2,)), out=out)


@pytest.mark.parametrize("size", [6, LARGE])
@pytest.mark.parametrize("ahead", [True, False])
def test_out_may_be_a_shifted_view_of_an_input(size, ahead):
    source, target = (slice(0, -1), slice(1, None)) if ahead else (slice(1, None), slice(0, -1))
    start = values((size,))

    x = nd.array(start)
    nd.square(x[source], out=x[target])
    np.testing.assert_array_equal(x[target].asnumpy(), start[source] ** 2)

    x = nd.array(start)
    nd.broadcast_add(x[source], x[target], out=x[target])
    np.testing.assert_array_equal(x[target].asnumpy(), start[source] + start[target])

    x = nd.array(start)
    nd.broadcast_add(x[source], x[source], out=x[target])
    np.testing.assert_array_equal(x[target].asnumpy(), 2 * start[source])


def test_in_place_sum_with_a_shifted_view():
    x = nd.arange(6)
    x[1:] += x[:-1]
    assert x.asnumpy().tolist() == [0, 1, 3, 5, 7, 9]


@pytest.mark.parametrize("dtype", DTYPES)
def test_out_may_contain_the_broadcast_row(dtype):
    x = array((3, 4), dtype)
    expected = values((3, 4), dtype) + values((3, 4), dtype)[1]
    nd.broadcast_add(x, x[1:2], out=x)
    np.testing.assert_array_equal(x.asnumpy(), expected)


def test_in_place_with_a_smaller_and_a_larger_operand():
    x = array((2, 3))
    same = x
    x += array((3,))
    assert x is same
    np.testing.assert_array_equal(x.asnumpy(), values((2, 3)) + values((3,)))
    small = array((3,))
    with pytest.raises(ShapeError, match=r"out has shape \(3,\)"):
        small += array((2, 3))


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("size", [1, 5, LARGE])
def test_scalars_on_both_sides(dtype, size):
    x, x_np = array((size,), dtype), values((size,), dtype)
    np.testing.assert_array_equal((x + 2).asnumpy(), x_np + dtype(2))
    np.testing.assert_array_equal((9 - x).asnumpy(), dtype(9) - x_np)
    np.testing.assert_array_equal((x > 3).asnumpy(), x_np > 3)
    assert (3 * x).dtype == dtype


def test_int64_scalars_beyond_float64_are_exact():
    x = nd.array([1, 2], dtype="int64")
    big = 2**53 + 1
    assert (x + big).asnumpy().tolist() == [big + 1, big + 2]
    assert (big - x).asnumpy().tolist() == [big - 1, big - 2]
    assert (nd.array([big], dtype="int64") == big).asnumpy().tolist() == [1]
    assert (nd.array([big], dtype="int64") == big - 1).asnumpy().tolist() == [0]
    assert (x + np.int64(big)).asnumpy().tolist() == [big + 1, big + 2]


@pytest.mark.parametrize(
    ("scalar", "error"), [(2**70, OverflowError), (float("nan"), ValueError), (1e30, OverflowError)]
)
def test_scalars_that_do_not_fit_int64_are_rejected(scalar, error):
    with pytest.raises(error):
        nd.array([1], dtype="int64") + scalar


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32, np.int64])
def test_fractions_are_truncated_for_integer_arrays(dtype):
    assert (nd.array([2, 3], dtype=dtype) * 2.7).asnumpy().tolist() == [4, 6]


def test_bool_with_a_number_becomes_int64():
    flags = nd.array([True, False], dtype="bool")
    for result, expected in [(flags + 2, [3, 2]), (5 - flags, [4, 5]), (flags * 3, [3, 0])]:
        assert result.dtype == np.int64
        assert result.asnumpy().tolist() == expected
    assert flags.dtype == np.bool_


def test_zero_size_arrays_compute_and_differentiate():
    x = nd.zeros((0, 3))
    x.attach_grad()
    with autograd.record():
        y = nd.exp(x * 2 + nd.ones((3,)))
    y.backward()
    assert y.shape == x.grad.shape == (0, 3)


def test_only_calls_that_lead_to_a_variable_are_recorded():
    x, other = array((3,)), array((3,))
    x.attach_grad()
    assert not tape.in_graph(nd.square(x))
    with autograd.record():
        assert tape.in_graph(nd.square(x))
        assert tape.in_graph(other + x)
        assert tape.in_graph(2 - x)
        assert not tape.in_graph(nd.square(other))
        assert not tape.in_graph(other + other)
        with autograd.pause():
            assert not tape.in_graph(x + 1)


def test_out_is_recorded_and_rejected_once_it_is_part_of_the_graph():
    x, out = array((3,)), nd.zeros((3,))
    x.attach_grad()
    with autograd.record():
        nd.square(x, out=out)
        for call in (lambda: nd.square(x, out=out), lambda: nd.broadcast_add(x, x, out=out)):
            with pytest.raises(OpforgeError, match="not supported when recording"):
                call()
    out.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), 2 * values((3,)))


def test_shifted_out_is_differentiated_like_any_other():
    memory = nd.arange(5)
    x = memory[:-1]
    x.attach_grad()
    with autograd.record():
        y = nd.square(x, out=memory[1:])
    assert y.asnumpy().tolist() == [0, 1, 4, 9]
    y.backward()
    assert x.grad.asnumpy().tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize(("left", "right"), [((2, 3), (3,)), ((2, 1), (1, 3)), ((), (2, 3))])
def test_gradients_have_the_shapes_of_the_operands(left, right):
    a, b = array(left), array(right)
    for item in (a, b):
        item.attach_grad()
    with autograd.record():
        y = a * b
    y.backward()
    a_full, b_full = np.broadcast_arrays(values(left), values(right))
    ones = np.ones(a_full.shape, np.float32)
    for x, factor in [(a, b_full), (b, a_full)]:
        kept = x.grad.shape
        expected = np.add.reduce((ones * factor).reshape(-1)) if not kept else None
        if kept:
            axes = tuple(range(factor.ndim - len(kept)))
            expected = factor.sum(axes)
            short = tuple(i for i, n in enumerate(kept) if n == 1)
            expected = expected.sum(short, keepdims=True)
        np.testing.assert_allclose(x.grad.asnumpy(), expected)


def test_scalar_attribute_may_be_a_string_but_nothing_else():
    x = array((2,))
    np.testing.assert_array_equal(nd._plus_scalar(x, scalar="2").asnumpy(), values((2,)) + 2)
    with pytest.raises((TypeError, OpforgeError)):
        nd._plus_scalar(x, scalar=[1])


@pytest.mark.parametrize("bad", [None, 2, "text", np.ones(2)])
def test_inputs_must_be_arrays(bad):
    for call in (lambda: nd.square(bad), lambda: nd.broadcast_add(array((2,)), bad)):
        with pytest.raises((TypeError, OpforgeError), match=r"square|broadcast_add"):
            call()
