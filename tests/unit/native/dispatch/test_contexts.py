"""Devices of operator arguments."""

import numpy as np
import pytest

import opforge as mx
from opforge import nd

HERE, THERE = mx.cpu(0), mx.cpu(1)


def both():
    return nd.ones((2, 2), HERE), nd.ones((2, 2), THERE)


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda a, b: a + b, r"operands are on cpu\(0\) and cpu\(1\): .*as_in_context\(cpu\(0\)\)"),
        (lambda a, b: b * a, r"operands are on cpu\(1\) and cpu\(0\)"),
        (lambda a, b: a == b, "operands are on"),
        (lambda a, b: a.__iadd__(b), "operands are on"),
        (lambda a, b: nd.maximum(a, b), "operands are on"),
        (lambda a, b: nd.broadcast_sub(a, b), "operands are on"),
        (
            lambda a, b: nd.dot(a, b),
            r"operator 'dot' .*: input 'rhs' is on cpu\(1\), 'lhs' on cpu\(0\); move one",
        ),
        (lambda a, b: nd.concat(a, a, b, dim=0), r"'concat' .*: input 'arg2' is on cpu\(1\)"),
        (lambda a, b: nd.where(b, a, b), "'where' .*: input 'x' is on"),
        (lambda a, b: nd.take(a, b), "'take' .*: input 'indices' is on"),
    ],
)
def test_arrays_of_two_devices_are_rejected(use, message):
    a, b = both()
    use(a, a)  # as it should be
    expected = a.asnumpy()
    with pytest.raises(mx.MXNetError, match=message):
        use(a, b)
    assert np.array_equal(a.asnumpy(), expected)


def test_valid_calls_are_cached_per_device():
    a, b = both()
    for _ in range(3):
        assert nd.dot(a, a).asnumpy().tolist() == [[2, 2]] * 2
        assert nd.dot(b, b).context == THERE
        with pytest.raises(mx.MXNetError, match="input 'rhs' is on"):
            nd.dot(a, b)


def test_copies_between_devices():
    a, b = both()
    a[:] = b * 3
    assert a.asnumpy().tolist() == [[3, 3]] * 2
    a.copyto(b)
    assert b.asnumpy().tolist() == [[3, 3]] * 2
    assert (a + b.as_in_context(HERE)).asnumpy().tolist() == [[6, 6]] * 2
    nd.exp(nd.zeros((2, 2), HERE), out=b)
    assert b.asnumpy().tolist() == [[1, 1]] * 2


def test_gradients_cross_devices_where_arrays_did():
    x = nd.ones(2, THERE)
    x.attach_grad()
    with mx.autograd.record():
        y = (x * 2).as_in_context(HERE) * nd.ones(2, HERE) * 3
    y.backward()
    assert x.grad.context == THERE
    assert x.grad.asnumpy().tolist() == [6, 6]


def test_other_kinds_of_cpu_memory_are_the_same_device():
    """As in MXNet, whose data loaders give arrays of shared memory."""
    a, b = nd.ones(2), nd.ones(2, ctx=mx.Context("cpu_shared", 0))
    assert (a + b).asnumpy().tolist() == [2, 2]
    assert nd.concat(a, b, dim=0).shape == (4,)
