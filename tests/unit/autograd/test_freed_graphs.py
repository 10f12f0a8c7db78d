"""Arrays whose graph a backward pass has freed are constants when they are used again."""

import gc

import pytest

import opforge as mx
from opforge import autograd, gluon, nd


def variable(values):
    x = nd.array(values)
    x.attach_grad()
    return x


def freed(x):
    """An array that was recorded from `x`, after the backward pass."""
    with autograd.record():
        y = x * x
    y.backward()
    return y


def test_a_state_is_carried_from_batch_to_batch():
    w, state, grads = variable([1.0, 2.0]), nd.ones(2), []
    for _ in range(3):
        with autograd.record():
            state = state * w
            loss = state.sum()
        loss.backward()
        grads.append(w.grad.asnumpy().tolist())
    assert grads == [[1, 1], [1, 2], [1, 4]]


@pytest.mark.parametrize(
    "use",
    [
        lambda state, w: nd.dot(state, w),
        lambda state, w: state[:] * w,
        lambda state, w: nd.concat(state, w, dim=0),
        lambda state, w: nd.exp(state) * w,
        lambda state, w: 2 * state + w,
    ],
)
def test_every_kind_of_call_takes_it_as_a_constant(use):
    w, x = variable([1.0, 2.0]), variable([3.0, 4.0])
    state = freed(x)
    x.grad[:] = 7
    with autograd.record():
        y = use(state, w)
    y.backward()
    expected = variable([1.0, 2.0])
    with autograd.record():
        y = use(state.copy(), expected)
    y.backward()
    assert w.grad.asnumpy().tolist() == expected.grad.asnumpy().tolist()
    assert x.grad.asnumpy().tolist() == [7, 7]


def test_a_hybridized_block_takes_it_as_a_constant():
    net = gluon.nn.HybridLambda(lambda F, state, w: F.broadcast_mul(state, w))
    net.hybridize()
    w, state, grads = variable([2.0]), nd.ones(1), []
    for _ in range(3):
        with autograd.record():
            state = net(state, w)
        state.backward()
        grads.append(w.grad.asscalar())
    assert grads == [1, 2, 4]


def test_a_function_takes_it_as_a_constant():
    class Double(autograd.Function):
        def forward(self, x):
            return 2 * x

        def backward(self, dy):
            return 2 * dy

    w, x = variable([1.0]), variable([3.0])
    state = freed(x)
    with autograd.record():
        y = Double()(state) * w
    y.backward()
    assert w.grad.asscalar() == 18


def test_it_may_be_written_in_place_while_recording():
    state = freed(variable([3.0]))
    with autograd.record():
        state += 1
        state[:] = state * 2
    assert state.asscalar() == 20


@pytest.mark.parametrize("uses_again", [False, True])
def test_a_second_backward_pass_through_it_raises(uses_again):
    x = variable([3.0])
    y = freed(x)
    if uses_again:
        with autograd.record():
            x * y
    with pytest.raises(mx.MXNetError, match="not in a computational graph"):
        y.backward()


def test_results_of_freed_arrays_are_not_in_a_graph():
    y = freed(variable([3.0]))
    with autograd.record():
        z = y * 2
    with pytest.raises(mx.MXNetError, match="not in a computational graph"):
        z.backward()


def test_another_head_of_a_graph_that_was_freed_raises():
    x = variable([3.0])
    with autograd.record():
        shared = x * x
        first, second = shared * 3, shared * x
    first.backward()
    with pytest.raises(mx.MXNetError, match="not in a computational graph"):
        second.backward()


def test_freed_arrays_are_not_variables():
    x = variable([3.0])
    y = freed(x)
    with autograd.record():
        z = x * y
    with pytest.raises(mx.MXNetError, match="with respect to an array that is not in"):
        autograd.grad(z, y)


@pytest.mark.usefixtures("no_collector")
def test_carrying_a_state_keeps_nothing_of_former_batches():
    w, state = variable([0.5, 0.5]), nd.ones(2)

    def nodes():
        return sum(type(item).__name__ == "Node" for item in gc.get_objects())

    def batches(count):
        nonlocal state
        for _ in range(count):
            with autograd.record():
                state = nd.tanh(state * w)
                loss = state.sum()
            loss.backward()

    batches(10)
    buffers, before = mx.memory_stats()["live_buffers"], nodes()
    batches(10_000)
    assert mx.memory_stats()["live_buffers"] == buffers
    assert nodes() == before


def test_backward_frees_arrays_of_the_tape():
    """Without retain_graph, nothing of the graph outlives the pass, even if its result does."""
    x = nd.ones((256, 256))
    x.attach_grad()
    kept = []
    for _ in range(3):
        with autograd.record():
            y = nd.exp(x)
            z = y * y
        z.backward()
        kept.append(z)
        with pytest.raises(mx.MXNetError):
            z.backward()
