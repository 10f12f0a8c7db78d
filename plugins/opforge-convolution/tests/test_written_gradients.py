"""Gradients are written to their final arrays, but not before the graph has read the old ones."""

import opforge
from opforge import autograd, nd

FILTERS = 1 << 16


def variable(req="write"):
    """Return weights of 1 MiB."""
    weight = nd.ones((FILTERS, 4, 1, 1))
    weight.attach_grad(req)
    return weight


def applied(weight, value=1):
    """Apply the weights to one pixel whose channels have the same value."""
    data = nd.full((1, 4, 1, 1), value)
    return nd.Convolution(data, weight, kernel=(1, 1), num_filter=FILTERS, no_bias=True)


def is_full(array, value):
    return array.asnumpy().min() == array.asnumpy().max() == value


def test_no_second_buffer_is_allocated():
    weight = variable()
    with autograd.record():
        out = applied(weight)
    opforge.release_pool()
    out.backward()
    assert opforge.memory_stats()["pool_bytes"] < weight.size * 4
    assert is_full(weight.grad, 1)


def test_a_graph_can_read_the_previous_gradient():
    weight, factor = variable(), variable()
    weight.grad[:] = 7
    with autograd.record():
        read = (weight.grad * factor).sum()
        total = read + applied(weight, 3).sum()
    total.backward()
    assert is_full(weight.grad, 3)
    assert is_full(factor.grad, 7)


def test_gradients_accumulate():
    weight = variable("add")
    for _ in range(3):
        with autograd.record():
            out = applied(weight)
        out.backward()
    assert is_full(weight.grad, 3)
