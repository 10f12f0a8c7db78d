import numpy as np
import pytest

import opforge as mx
from opforge import autograd, nd
from opforge.base.errors import ShapeError


def variable(values, req="write"):
    x = nd.array(values)
    x.attach_grad(req)
    return x


def test_write_overwrites_and_add_accumulates():
    for req, expected in (("write", 2), ("add", 6)):
        x = variable([1.0, 1.0], req)
        for _ in range(3):
            with autograd.record():
                y = 2 * x
            y.backward()
        assert x.grad.asnumpy().tolist() == [expected] * 2


def test_null_gets_no_gradient():
    x, w = variable([1.0]), nd.array([2.0])
    w.attach_grad("null")
    with autograd.record():
        y = x * w
    y.backward()
    assert x.grad.asscalar() == 2
    assert w.grad is None


def test_a_variable_that_is_used_several_times():
    x = variable([3.0])
    with autograd.record():
        y = x * x + x * 2 + x
    y.backward()
    assert x.grad.asscalar() == 9


def test_broadcast_gradients_are_summed():
    a, b = variable(np.ones((2, 3))), variable(np.full((3,), 2.0))
    c = variable(np.ones((2, 1)))
    with autograd.record():
        y = a * b + c
    y.backward()
    assert a.grad.asnumpy().tolist() == [[2] * 3] * 2
    assert b.grad.asnumpy().tolist() == [2] * 3
    assert c.grad.asnumpy().tolist() == [[3], [3]]


def test_head_gradients():
    x = variable([1.0, 2.0])
    with autograd.record():
        y = x * x
    y.backward(nd.array([10.0, 100.0]))
    assert x.grad.asnumpy().tolist() == [20, 400]


@pytest.mark.parametrize("bad", [nd.ones((3,)), nd.ones((2,), dtype="float64")])
def test_head_gradient_that_does_not_fit(bad):
    x = variable([1.0, 2.0])
    with autograd.record():
        y = x * x
    with pytest.raises(ShapeError, match="head gradient"):
        y.backward(bad)


def test_the_graph_is_freed_unless_retained():
    x = variable([2.0])
    with autograd.record():
        y = x * x
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.asscalar() == 4
    with pytest.raises(mx.MXNetError, match="not in a computational graph"):
        y.backward()


def test_backward_of_unrecorded_arrays_raises():
    x = variable([2.0])
    y = x * x
    with pytest.raises(mx.MXNetError, match="not in a computational graph"):
        y.backward()


def test_backward_inside_record():
    x = variable([2.0])
    with autograd.record():
        y = x * x
        y.backward()
        assert autograd.is_recording()
    assert x.grad.asscalar() == 4


def test_pause_and_modes():
    x = variable([2.0])
    assert not autograd.is_recording() and not autograd.is_training()
    with autograd.record():
        assert autograd.is_recording() and autograd.is_training()
        with autograd.pause():
            assert not autograd.is_recording() and not autograd.is_training()
            z = x * 5
        with autograd.predict_mode():
            assert autograd.is_recording() and not autograd.is_training()
        y = x * z
    with autograd.train_mode():
        assert autograd.is_training() and not autograd.is_recording()
    y.backward()
    assert x.grad.asscalar() == 10


def test_scopes_restore_after_an_exception_and_may_be_reused():
    scope = autograd.record()
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), scope, scope:
            raise ZeroDivisionError
        assert not autograd.is_recording()


@pytest.mark.parametrize(
    "linear",
    [
        nd.radians,
        nd.negative,
        nd.floor,
        lambda x: x * 2,
        lambda x: x + x,
        lambda x: x.reshape((2, 1)).reshape((2,)),
        lambda x: nd.flip(x, axis=0),
        lambda x: nd.dot(nd.ones((2, 2)), x),
    ],
)
def test_a_constant_gradient_has_the_gradient_zero(linear):
    x = variable([1.0, 2.0])
    x.grad[:] = 7
    with autograd.record():
        (first,) = autograd.grad(linear(x), x, create_graph=True)
        (second,) = autograd.grad(first, x, create_graph=True)
        third = first * x
    first.backward(retain_graph=True)
    assert x.grad.tolist() == [0, 0] and second.tolist() == [0, 0]
    third.backward()
    assert x.grad.tolist() == first.tolist()


def test_a_gradient_without_its_graph_cannot_be_differentiated():
    x = variable([1.0])
    with autograd.record():
        (first,) = autograd.grad(x * 2, x)
    with pytest.raises(mx.MXNetError, match="not in a computational graph"):
        first.backward()


def test_detach_and_block_grad():
    x = variable([3.0])
    with autograd.record():
        y = x * x.detach() + nd.BlockGrad(x) * x
    y.backward()
    assert x.grad.asscalar() == 6


@pytest.mark.parametrize(
    "write",
    [
        lambda x, y: y.__iadd__(1),
        lambda x, y: y.__setitem__(slice(None), 3),
        lambda x, y: x.__imul__(2),
        lambda x, y: nd.exp(x, out=y),
        lambda x, y: nd.ones((2,)).__iadd__(x),
    ],
)
def test_in_place_writes_to_a_recorded_graph_are_rejected(write):
    x = variable([1.0, 2.0])
    with autograd.record():
        y = x * 2
        with pytest.raises(mx.MXNetError, match="Inplace operations"):
            write(x, y)
    y.backward()
    assert x.grad.asnumpy().tolist() == [2, 2]


def test_scratch_sgd_idiom():
    w = variable([1.0])
    for _ in range(2):
        with autograd.record():
            loss = w * w
        loss.backward()
        w[:] = w - 0.25 * w.grad
    assert w.asscalar() == 0.25


def test_grad_returns_new_arrays():
    x, y = variable([2.0]), variable([5.0])
    with autograd.record():
        z = x * x * y
    dx, dy = autograd.grad(z, [x, y])
    assert (dx.asscalar(), dy.asscalar()) == (20, 4)
    assert x.grad.asscalar() == 0


def test_second_order():
    x = variable([0.5, -1.0])
    with autograd.record():
        y = nd.exp(x) * nd.sin(x) + x**3
        (dx,) = autograd.grad(y, x, create_graph=True)
        total = (dx * dx).sum()
    total.backward()
    v = np.array([0.5, -1.0])
    first = np.exp(v) * (np.sin(v) + np.cos(v)) + 3 * v**2
    second = 2 * np.exp(v) * np.cos(v) + 6 * v
    np.testing.assert_allclose(dx.asnumpy(), first, rtol=1e-5)
    np.testing.assert_allclose(x.grad.asnumpy(), 2 * first * second, rtol=1e-5)


@pytest.mark.plugins
@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * nd.sin(x),
        lambda x: 1 / x,
        lambda x: x**3,
        lambda x: nd.dot(x, x),
        lambda x: nd.reshape(x * x, (2, 1)),
        lambda x: nd.softmax(x),
        lambda x: nd.log_softmax(x),
        lambda x: nd.Activation(x, "tanh"),
        lambda x: nd.softsign(x),
        lambda x: nd.erf(x),
        nd.prod,
        nd.max,
        nd.norm,
    ],
)
def test_second_gradients(function):
    weights = nd.array([2.0, -1.0], dtype="float64")

    def first_gradient(values):
        x = nd.array(values, dtype="float64")
        x.attach_grad()
        with autograd.record():
            y = function(x).reshape((-1,))
            (first,) = autograd.grad(y * weights[: y.size], [x], create_graph=True)
        first.backward()
        return first.asnumpy(), x.grad.asnumpy()

    at, step = np.array([0.5, 0.3]), 1e-5
    for index, found in enumerate(first_gradient(at)[1]):
        shift = step * np.eye(2)[index]
        above, below = (first_gradient(at + sign * shift)[0].sum() for sign in (1, -1))
        np.testing.assert_allclose(found, (above - below) / (2 * step), rtol=1e-5, atol=1e-7)


def test_third_order():
    x = variable([2.0])
    with autograd.record():
        y = x**4
        first = autograd.grad(y, x, create_graph=True)
        second = autograd.grad(first, x, create_graph=True)
    autograd.backward(second)
    assert x.grad.asscalar() == 48


def test_grad_of_an_intermediate_array():
    x = variable([3.0])
    with autograd.record():
        y = x * 2
        z = y * y
    grads = autograd.grad(z, y)
    assert isinstance(grads, list)  # for one variable too, as in MXNet
    assert [g.asscalar() for g in grads] == [12]


def test_grad_of_an_unused_variable():
    x, y = variable([1.0]), variable([1.0])
    with autograd.record():
        z = x * 2
    with pytest.raises(ValueError, match="not used by the heads"):
        autograd.grad(z, y)


def test_several_heads():
    x = variable([1.0])
    with autograd.record():
        y = x * 2
        z = y * 3
    autograd.backward([y, z], [nd.array([1.0]), None])
    assert x.grad.asscalar() == 8


def test_mark_variables():
    x, g = nd.array([4.0]), nd.zeros((1,))
    autograd.mark_variables([x], [g])
    with autograd.record():
        y = x * x
    y.backward()
    assert g.asscalar() == 8
    with pytest.raises(ValueError, match="must be equal"):
        autograd.mark_variables([x], [nd.zeros((2,))])


def test_attach_grad_drops_the_history():
    x = variable([2.0])
    with autograd.record():
        y = x * x
        y.attach_grad()
        z = y * 3
    z.backward()
    assert y.grad.asscalar() == 3
    assert x.grad.asscalar() == 0


def test_a_very_deep_graph_is_differentiated_and_freed():
    x = variable([1.0])
    with autograd.record():
        y = x
        for _ in range(100_000):
            y = y + 1
    y.backward()
    assert x.grad.asscalar() == 1
    with autograd.record():
        y = x
        for _ in range(100_000):
            y = y + 1
    del y


@pytest.mark.usefixtures("no_collector")
def test_graphs_are_freed_without_the_cycle_collector():
    before = mx.memory_stats()["live_buffers"]
    x = variable([1.0, 2.0])
    with autograd.record():
        y = nd.exp(x) * x
        z = nd.tanh(y).sum()
    z.backward(retain_graph=True)
    del x, y, z
    assert mx.memory_stats()["live_buffers"] == before


def test_a_variable_that_nothing_flows_to_gets_zeros():
    x, y = variable([2.0, 3.0]), variable([1.0, 1.0])
    x.grad[:] = 7
    with autograd.record():
        z = nd.BlockGrad(x) * y
    z.backward()
    assert x.grad.asnumpy().tolist() == [0, 0]
    with autograd.record():
        z = nd.BlockGrad(x) * y
    assert autograd.grad(z, x)[0].asnumpy().tolist() == [0, 0]


@pytest.mark.parametrize(
    "call",
    [
        lambda F, x: F.argmax(x, axis=0),
        lambda F, x: F.argmin(x, axis=0),
        lambda F, x: F.argmax_channel(F.reshape(x, shape=(1, 2))),
        lambda F, x: F.argsort(x),
        lambda F, x: F.topk(x),
        lambda F, x: F.one_hot(x, depth=4),
        lambda F, x: F.shape_array(x),
        lambda F, x: F.size_array(x),
        lambda F, x: F.sample_normal(x, x),
        lambda F, x: F.sample_poisson(x),
        lambda F, x: F.sample_multinomial(x / 5),
        lambda F, x: F._internal._random_uniform_like(x),
    ],
)
def test_the_gradient_of_piecewise_constant_operators_is_zero(call):
    x = variable([2.0, 3.0])
    x.grad[:] = 7
    with autograd.record():
        y = call(nd, x)
    y.backward()
    assert x.grad.asnumpy().tolist() == [0, 0]
    executor = call(mx.sym, mx.sym.var("x")).bind(None, {"x": x}, {"x": nd.ones(2)})
    executor.forward(is_train=True)
    executor.backward(nd.ones_like(executor.outputs[0]))
    assert executor.grad_dict["x"].asnumpy().tolist() == [0, 0]


@pytest.mark.parametrize(
    ("call", "values", "expected"),
    [
        (nd.max, [1, 3, 3], [0, 1, 1]),
        (nd.min, [1, 1, 3], [1, 1, 0]),
        (lambda x: nd.maximum(x, 3), [1, 3], [0, 1]),
        (lambda x: nd.minimum(x, 3), [3, 4], [1, 0]),
        (lambda x: nd.clip(x, 1, 3), [0, 1, 3, 4], [0, 1, 1, 0]),
        (nd.abs, [-1, 0, 1], [-1, 0, 1]),
        (lambda x: nd.topk(x, ret_typ="value"), [1, 3, 3], [0, 1, 0]),
    ],
)
def test_gradients_at_ties(call, values, expected):
    x = variable([float(value) for value in values])
    with autograd.record():
        y = call(x)
    y.backward()
    assert x.grad.asnumpy().tolist() == expected


@pytest.mark.parametrize("name", ["maximum", "minimum", "broadcast_maximum", "broadcast_minimum"])
def test_the_first_of_two_equal_arrays_gets_the_gradient(name):
    x, y = variable([2.0]), variable([2.0])
    with autograd.record():
        z = getattr(nd, name)(x, y)
    z.backward()
    assert (x.grad.asscalar(), y.grad.asscalar()) == (1, 0)


def test_add_keeps_gradients_without_contributions():
    x, y = variable([2.0], "add"), variable([1.0])
    x.grad[:] = 7
    with autograd.record():
        z = nd.BlockGrad(x) * y
    z.backward()
    assert x.grad.asscalar() == 7


def test_an_input_without_a_gradient_rule_gets_zeros():
    class First(autograd.Function):
        def forward(self, a, b):
            return a * 1

        def backward(self, dy):
            return dy, None

    x, y = variable([2.0]), variable([5.0])
    y.grad[:] = 3
    with autograd.record():
        z = First()(x, y)
    z.backward()
    assert (x.grad.asscalar(), y.grad.asscalar()) == (1, 0)
