"""`Parameter.register_grad_hook`: hooks get a gradient while the backward pass continues."""

import threading

import numpy as np
import pytest

from opforge import autograd, cpu, gluon, nd
from opforge.base.errors import DTypeError, ShapeError
from opforge.gluon import nn
from opforge.native.dispatch import tape


def parameter(name="w", value=1.0, shape=(2,), **kwargs):
    made = gluon.Parameter(name, shape=shape, **kwargs)
    made.initialize(init="zeros")
    made.set_data(nd.full(shape, value))
    return made


class Log:
    """Hooks on parameters, and the calls that they received in order: (name, values)."""

    def __init__(self, *params):
        self.seen = []
        self.handles = [p.register_grad_hook(self.hook(p.name)) for p in params]

    def hook(self, name):
        return lambda gradient: self.seen.append((name, gradient.asnumpy().tolist()))

    @property
    def names(self):
        return [name for name, _ in self.seen]


class Chain(gluon.HybridBlock):
    """tanh(tanh(x * a) * b) * c, and a again if `shares`."""

    def __init__(self, shares=False):
        super().__init__(prefix="")
        self.shares = shares
        with self.name_scope():
            for name in "abc":
                setattr(self, name, self.params.get(name, shape=(2,), init="ones"))

    def hybrid_forward(self, F, x, a, b, c):
        y = F.tanh(F.tanh(x * a) * b) * c
        return y * a if self.shares else y


def chain(how, shares=False):
    net = Chain(shares)
    net.initialize()
    if how == "hybridized":
        net.hybridize()
    return net


def passed(net, x=(1.0, 2.0), times=1, **kwargs):
    """Run a recorded forward pass and `times` backward passes; return the gradients by name."""
    with autograd.record():
        y = net(nd.array(list(x)))
    for turn in range(times):
        y.backward(retain_graph=turn + 1 < times, **kwargs)
    return {p.name: p.grad().asnumpy().tolist() for p in net.collect_params().values()}


both = pytest.mark.parametrize("how", ["eager", "hybridized"])


@both
def test_the_last_layers_gradients_come_first_and_are_complete(how):
    plain = passed(chain(how))
    net = chain(how)
    log = Log(net.a, net.b, net.c)
    passed(net)
    assert log.names == ["c", "b", "a"]
    assert dict(log.seen) == plain


@both
def test_a_parameter_that_is_used_twice_is_ready_once_after_the_last_addition(how):
    plain = passed(chain(how, shares=True))
    net = chain(how, shares=True)
    log = Log(net.a, net.b, net.c)
    assert passed(net) == plain
    assert log.names == ["c", "b", "a"]
    assert dict(log.seen) == plain


@both
def test_sums_over_passes(how):
    net = chain(how)
    once = passed(net)
    for param in net.collect_params().values():
        param.grad_req = "add"
    net.collect_params().zero_grad()
    log = Log(net.a, net.c)
    passed(net)
    passed(net)
    assert log.names == ["c", "a", "c", "a"]
    assert dict(log.seen[:2])["a"] == once["a"]
    assert dict(log.seen[2:])["a"] == [2 * value for value in once["a"]]


@both
def test_a_graph_that_is_retained(how):
    net = chain(how)
    log = Log(net.a, net.b, net.c)
    passed(net, times=3)
    assert log.names == ["c", "b", "a"] * 3
    assert log.seen[:3] == log.seen[6:]


@both
def test_only_those_with_hooks_are_told_and_the_others_have_the_same_gradients(how):
    plain = passed(chain(how))
    net = chain(how)
    log = Log(net.b)
    assert passed(net) == plain
    assert log.seen == [("b", plain["b"])]


@pytest.mark.plugins
@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize("outer", [False, True])
def test_nested_blocks(outer, inner):
    """Layers of a compiled network, compiled layers of an uncompiled one, and nested ones."""
    net = nn.HybridSequential(prefix="")
    layers = [nn.Dense(3, in_units=3, prefix=f"{i}_", activation="tanh") for i in range(3)]
    net.add(*layers)
    net.initialize(init="ones")
    if outer:
        net.hybridize()
    for layer in layers:
        layer.hybridize(inner)
    log = Log(*(layer.weight for layer in layers))
    passed(net, x=[[0.1, 0.2, 0.3]])
    assert log.names == ["2_weight", "1_weight", "0_weight"]


@pytest.mark.plugins
def test_a_parameter_in_two_compiled_blocks_is_ready_after_both():
    shared = nn.Dense(2, in_units=2, use_bias=False, prefix="")
    other = nn.Dense(2, in_units=2, use_bias=False, prefix="", params=shared.params)
    shared.initialize(init="ones")
    with autograd.record():
        y = other(shared(nd.ones((1, 2))))
    y.backward()
    expected = shared.weight.grad().asnumpy()
    shared.hybridize()
    other.hybridize()
    log = Log(shared.weight)
    for _ in range(3):
        with autograd.record():
            y = other(shared(nd.ones((1, 2))))
        y.backward()
    assert log.seen == [("weight", expected.tolist())] * 3


@both
def test_the_hook_runs_while_the_pass_goes_on(how):
    net = chain(how)
    net.a.grad()[:] = 7
    before = []
    net.c.register_grad_hook(lambda gradient: before.append(net.a.grad().asnumpy().tolist()))
    assert passed(net)["a"] != [7, 7]
    assert before == [[7, 7]]


@both
def test_modes_and_thread_of_a_hook(how):
    net = chain(how)
    seen = []

    def hook(gradient):
        doubled = gradient * 2
        seen.append(
            (autograd.is_recording(), tape.in_graph(doubled), threading.current_thread().name)
        )

    net.b.register_grad_hook(hook)
    with autograd.record():
        y = net(nd.ones(2))
        y.backward()
        assert autograd.is_recording()
    assert seen == [(False, False, threading.current_thread().name)]


@both
def test_a_hook_that_raises_ends_the_pass_and_the_next_pass_is_whole(how):
    plain = passed(chain(how))
    net = chain(how)
    net.a.grad()[:] = 7

    def fail(gradient):
        raise ZeroDivisionError("as the hook says")

    handle = net.c.register_grad_hook(fail)
    with autograd.record():
        y = net(nd.array([1.0, 2.0]))
    with pytest.raises(ZeroDivisionError, match="as the hook says"):
        y.backward()
    assert net.c.grad().asnumpy().tolist() == plain["c"]
    assert net.a.grad().asnumpy().tolist() == [7, 7]
    assert not autograd.is_recording()
    handle.detach()
    log = Log(net.a, net.b, net.c)
    assert passed(net) == plain
    assert log.names == ["c", "b", "a"]


@both
def test_a_hook_may_run_the_block_itself(how):
    """Its forward and backward pass during another one need memory too."""
    plain = passed(chain(how))
    net = chain(how)
    other = chain(how)
    net.b.register_grad_hook(lambda gradient: passed(other, x=(3.0, 4.0)))
    assert passed(net) == plain
    assert passed(net) == plain


def test_hooks_of_one_parameter_run_in_order_and_detach():
    w = parameter()
    seen = []
    first = w.register_grad_hook(lambda gradient: seen.append(1))
    once = w.register_grad_hook(lambda gradient: (seen.append(2), once.detach()))

    def run():
        with autograd.record():
            y = w.data() * 3
        y.backward()

    run()
    run()
    first.detach()
    first.detach()
    run()
    assert seen == [1, 2, 1]
    assert w.grad().asnumpy().tolist() == [3, 3]


def test_hooks_stay_with_the_parameter():
    w = gluon.Parameter("w", shape=(0,), allow_deferred_init=True)
    log = Log(w)
    w.initialize(init="ones")
    w.shape = (2,)
    w._finish_deferred_init()

    def change_nothing():
        pass

    def stop_and_go():
        w.grad_req = "null"
        w.grad_req = "write"

    changes = (
        change_nothing,
        stop_and_go,
        lambda: w.cast("float64"),
        lambda: w.reset_ctx(cpu(1)),
        lambda: w.initialize(init="ones", ctx=cpu(), force_reinit=True),
    )
    for count, change in enumerate(changes, 1):
        change()
        with autograd.record():
            y = w.data() * 3
        y.backward()
        assert log.seen == [("w", [3, 3])] * count


def test_each_copy_is_told_of():
    w = gluon.Parameter("w", shape=(2,))
    w.initialize(init="ones", ctx=[cpu(0), cpu(1)])
    seen = []
    w.register_grad_hook(lambda gradient: seen.append((gradient.context, gradient.asnumpy()[0])))
    with autograd.record():
        ys = [w.data(ctx) * (3 + ctx.device_id) for ctx in w.list_ctx()]
    autograd.backward(ys)
    assert sorted(seen, key=str) == [(cpu(0), 3), (cpu(1), 4)]
    assert all(gradient is w.grad(gradient.context) for gradient in w.list_grad())


def test_nothing_flows_to_it():
    w, v = parameter(), parameter("v")
    w.grad()[:] = 7
    log = Log(w)
    with autograd.record():
        y = nd.BlockGrad(w.data()) * v.data() + nd.zeros_like(w.data())
    y.backward()
    assert w.grad().asnumpy().tolist() == [0, 0]
    assert log.seen == [("w", [0, 0])]


def test_a_head_that_is_the_parameter_itself():
    w = parameter()
    log = Log(w)
    w.data().backward(nd.array([2.0, 3.0]))
    assert log.seen == [("w", [2, 3])]


def test_grad_calls_no_hooks():
    w = parameter()
    log = Log(w)
    with autograd.record():
        y = w.data() * 2
        (found,) = autograd.grad(y, w.data(), create_graph=True)
    assert found.asnumpy().tolist() == [2, 2]
    assert log.seen == []


@both
def test_a_gradient_that_the_graph_reads_is_written_when_it_was_read(how):
    net = chain(how)
    net.c.grad()[:] = 5
    log = Log(net.a, net.b, net.c)
    with autograd.record():
        y = net(nd.array([1.0, 2.0]))
        z = y * net.c.grad()
    z.backward()
    plain = passed(chain(how))
    np.testing.assert_allclose(net.a.grad().asnumpy(), 5 * np.array(plain["a"]), rtol=1e-6)
    np.testing.assert_allclose(net.c.grad().asnumpy(), 5 * np.array(plain["c"]), rtol=1e-6)
    assert log.names == ["b", "a", "c"]


def test_operators_with_a_backward_of_their_own_add_to_the_gradient():
    class Twice(autograd.Function):
        def forward(self, x):
            return x * 2

        def backward(self, dy):
            return dy * 2

    w = parameter(grad_req="add")
    log = Log(w)
    for _ in range(2):
        with autograd.record():
            y = Twice()(w.data())
        y.backward()
    assert log.seen == [("w", [2, 2]), ("w", [4, 4])]


@both
def test_gradients_in_arrays_of_the_callers(how):
    plain = passed(chain(how))
    net = chain(how)
    passed(net)
    memory = np.zeros((3, 2), np.float32)
    params = list(net.collect_params().values())
    arrays = [nd.from_numpy(row) for row in memory]
    for param, array in zip(params, arrays, strict=True):
        assert tape.is_fresh(param.data())
        param.use_grads([array])
        assert tape.is_fresh(param.data()) and param.grad() is array
    log = Log(*params)
    for _ in range(2):
        assert passed(net) == plain
    assert memory.tolist() == [plain[param.name] for param in params]
    assert log.names == ["c", "b", "a"] * 2


def test_gradients_that_do_not_fit_are_rejected():
    w = parameter()
    with pytest.raises(ShapeError, match=r"Parameter 'w': use_grads got .* shape \(3,\), expected"):
        w.use_grads([nd.zeros(3)])
    with pytest.raises(DTypeError, match="type float16, expected the type of the value, float32"):
        w.use_grads([nd.zeros(2, dtype="float16")])
    with pytest.raises(ShapeError, match="got 2 gradients, expected one per context, 1"):
        w.use_grads([nd.zeros(2), nd.zeros(2)])
    w.grad_req = "null"
    with pytest.raises(RuntimeError):
        w.use_grads([nd.zeros(2)])
