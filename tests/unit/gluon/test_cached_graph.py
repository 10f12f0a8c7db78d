import gc
import os
import threading
import weakref

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, gluon, memory_stats, nd
from opforge.base.errors import OperatorError, OpforgeError, ShapeError
from opforge.gluon import nn


class Calls(gluon.HybridBlock):
    """Calls a function of the operators' namespace; counts how often."""

    def __init__(self, function):
        super().__init__()
        self._function = function
        self.count = 0

    def hybrid_forward(self, F, *args):
        self.count += 1
        return self._function(F, *args)


def hybrid(function):
    block = Calls(function)
    block.hybridize()
    return block


def step(block, *arrays, head=None):
    """Return the output and the gradients of the arrays, as NumPy arrays."""
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        y = block(*arrays)
    y.backward(head)
    return [y.asnumpy(), *[array.grad.asnumpy() for array in arrays]]


# -- when a block is traced -----------------------------------------------------------------------


def test_a_trace_for_each_rank_type_and_mode():
    block = hybrid(lambda F, x: x * 2)
    for _ in range(3):
        assert block(nd.ones((2, 3))).asnumpy().tolist() == [[2] * 3] * 2
    assert block.count == 1
    assert block(nd.ones((3, 3))).asnumpy().tolist() == [[2] * 3] * 3
    assert block.count == 1
    block(nd.ones((2, 3), dtype="float64"))
    block(nd.ones(3))
    assert block.count == 3
    with autograd.train_mode():
        block(nd.ones((2, 3)))
    assert block.count == 4
    for shape in ((2, 3), (3, 3), (3,), (5, 1)):
        block(nd.ones(shape))
    assert block.count == 4


def test_a_block_that_reads_sizes_is_traced_for_each():
    block = hybrid(lambda F, x: x * x.shape[0])
    for _ in range(2):
        for n in (2, 3):
            assert block(nd.ones((n, 1))).asnumpy().tolist() == [[n]] * n
    assert block.count == 2


def test_the_number_of_dimensions_is_no_size():
    block = hybrid(lambda F, x: x * x.ndim)
    for n in (2, 3):
        assert block(nd.ones((n, 1))).asnumpy().tolist() == [[2]] * n
    assert block.count == 1


def test_a_block_whose_operators_depend_on_sizes_is_traced_anew_where_they_differ():
    block = hybrid(lambda F, x, y: x + y)
    for n in (3, 2, 1):
        x, y = nd.ones((3, 2)), nd.ones((3, 2) if n == 3 else (1, n))
        assert step(block, x, y)[0].tolist() == [[2, 2]] * 3
    with pytest.raises(ShapeError):
        block(nd.ones((3, 2)), nd.ones((2, 3)))
    assert block(nd.ones((4, 2)), nd.ones((4, 2))).shape == (4, 2)


def test_the_mode_is_what_hybrid_forward_sees():
    block = hybrid(lambda F, x: x * (2 if autograd.is_training() else 3))
    assert block(nd.ones(1)).asscalar() == 3
    with autograd.record():
        assert block(nd.ones(1)).asscalar() == 2
    assert block(nd.ones(1)).asscalar() == 3


def test_recording_changes_the_program_and_not_the_trace():
    block = hybrid(lambda F, x: x * 2)
    x = nd.ones(1)
    assert step(block, x)[1].tolist() == [2]
    with autograd.pause(train_mode=True):
        assert block(x).asscalar() == 2
    with autograd.record(), autograd.pause():
        block(x)
    assert block.count == 2


def test_none_is_part_of_the_kind():
    block = hybrid(lambda F, x, y=None: x if y is None else x + y)
    x = nd.ones(1)
    values = [block(x).asscalar(), block(x, x).asscalar(), block(x, None).asscalar()]
    assert values == [1, 2, 1]


@pytest.mark.parametrize("argument", [3, True, "a", {"a": 1}, [nd.ones(1), 3]])
def test_arguments_that_are_no_arrays_are_refused(argument):
    block = hybrid(lambda F, x, y: x)
    with pytest.raises(ValueError, match="list of Symbol or NDArray, but got"):
        block(nd.ones(1), argument)


def test_arrays_and_symbols_do_not_mix():
    block = hybrid(lambda F, x, y: x + y)
    for arguments in ((nd.ones(1), mx.sym.var("a")), (mx.sym.var("a"), nd.ones(1))):
        with pytest.raises(ValueError, match="mixed NDArrays and Symbols"):
            block(*arguments)


def test_arrays_of_two_contexts_are_refused():
    block = hybrid(lambda F, x, y: x + y)
    for first, second in ((1, 2), (1, 1), (1, 2)):
        arrays = nd.ones(1, ctx=mx.cpu(first)), nd.ones(1, ctx=mx.cpu(second))
        if first == second:
            assert block(*arrays).asscalar() == 2
            continue
        with pytest.raises(ValueError, match=r"multiple contexts.*cpu\(1\), cpu\(2\)"):
            block(*arrays)


def test_nested_inputs_and_outputs():
    block = hybrid(lambda F, pair, z: [pair[0] + z, (pair[1][0] * 2, None), F.split(z, 2, axis=0)])
    first, (second, nothing), parts = block([nd.ones(2), (nd.ones(2), None)], nd.array([1, 2]))
    assert first.asnumpy().tolist() == [2, 3]
    assert second.asnumpy().tolist() == [2, 2]
    assert nothing is None
    assert [part.asscalar() for part in parts] == [1, 2]


def test_children_that_are_added_or_replaced_count():
    net = nn.HybridSequential()
    net.add(Calls(lambda F, x: x + 1))
    net.hybridize()
    assert net(nd.ones(1)).asscalar() == 2
    net.add(Calls(lambda F, x: x * 10))
    assert net(nd.ones(1)).asscalar() == 20


@pytest.mark.plugins
def test_parameters_that_change_are_seen():
    net = nn.Dense(1, in_units=1, use_bias=False)
    net.initialize("ones")
    net.hybridize()
    assert net(nd.full((1, 1), 3)).asscalar() == 3
    net.weight.set_data(nd.full((1, 1), 5))
    assert net(nd.full((1, 1), 3)).asscalar() == 15
    net.initialize("zeros", force_reinit=True)
    assert net(nd.full((1, 1), 3)).asscalar() == 0
    net.cast("float64")
    assert net(nd.full((1, 1), 3, dtype="float64")).dtype == np.float64


@pytest.mark.plugins
def test_a_parameter_that_wants_no_gradient_any_more_gets_none():
    net = nn.Dense(1, in_units=1)
    net.initialize("ones")
    net.hybridize()
    step(net, nd.ones((1, 1)))
    net.weight.grad_req = "null"
    net.bias.grad()[:] = 7
    step(net, nd.full((1, 1), 2))
    assert net.bias.grad().asscalar() == 1
    net.weight.grad_req = "add"
    for _ in range(2):
        step(net, nd.full((1, 1), 2))
    assert net.weight.grad().asscalar() == 4


@pytest.mark.plugins
def test_deferred_parameters_of_shared_layers():
    class Twice(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.one = nn.Dense(3)
                self.other = nn.Dense(3, params=self.one.params)

        def hybrid_forward(self, F, x):
            return self.other(self.one(x))

    net = Twice()
    net.initialize("ones")
    net.hybridize()
    x = nd.ones((2, 3))
    (y, *_) = step(net, x)
    assert y.tolist() == [[9] * 3] * 2
    assert net.one.weight.grad().asnumpy().tolist() == [[12] * 3] * 3
    assert len(net.collect_params()) == 2


def test_deferred_shapes_that_nothing_tells():
    class Adds(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.w = self.params.get("w", shape=(0,), allow_deferred_init=True)

        def hybrid_forward(self, F, x, w):
            return F.concat(x, F.exp(w), dim=0)

    net = Adds()
    net.initialize()
    net.hybridize()
    with pytest.raises(ShapeError, match="Deferred initialization failed"):
        net(nd.ones(2))


@pytest.mark.parametrize("shape", [(), (0, 3)])
def test_arrays_whose_shape_means_unknown_run_imperatively(shape):
    block = hybrid(lambda F, x: x * 2)
    assert block(nd.ones(shape)).shape == shape
    assert block.count == 1
    block(nd.ones(shape))
    assert block.count == 2


def test_results_without_elements_run_imperatively_and_say_so_once():
    block = hybrid(lambda F, x: F.sum(F.slice_axis(x, axis=0, begin=1, end=1) * 2))
    with pytest.warns(UserWarning, match=r"runs imperatively.*\(0, 3\)") as caught:
        assert block(nd.ones((2, 3))).asscalar() == 0
    assert caught[0].filename == __file__
    x = nd.ones((2, 3))
    assert step(block, x)[1].tolist() == [[0] * 3] * 2


@pytest.mark.plugins
def test_contexts_have_programs_of_their_own():
    net = nn.Dense(1, in_units=1, use_bias=False)
    net.initialize("ones", ctx=[mx.cpu(0), mx.cpu(1)])
    net.weight.data(mx.cpu(1))[:] = 5
    net.hybridize()
    for ctx, value in ((mx.cpu(0), 1), (mx.cpu(1), 5), (mx.Context("cpu", 0), 1)):
        y = net(nd.ones((1, 1), ctx=ctx))
        assert y.context == ctx
        assert y.asscalar() == value


# -- gradients ------------------------------------------------------------------------------------


@pytest.mark.plugins
def test_twice_backward_with_a_retained_graph():
    block = hybrid(lambda F, x: F.tanh(F.softmax(x) * x))
    x = nd.array([[0.5, -1.0]])
    x.attach_grad()
    with autograd.record():
        y = block(x)
    y.backward(retain_graph=True)
    first = x.grad.asnumpy()
    y.backward(retain_graph=True)
    np.testing.assert_array_equal(x.grad.asnumpy(), first)
    y.backward(nd.full(y.shape, 2))
    np.testing.assert_allclose(x.grad.asnumpy(), 2 * first, rtol=1e-6)
    with pytest.raises(OpforgeError, match="retain_graph"):
        y.backward()


def test_two_recorded_calls_before_either_backward_pass():
    block = hybrid(lambda F, x: F.exp(F.square(x)))
    x = [nd.array([0.5]), nd.array([1.0])]
    for one in x:
        one.attach_grad()
    with autograd.record():
        y = [block(one) for one in x]
        with autograd.pause(train_mode=True):
            block(nd.array([3.0]))
    assert block(nd.array([2.0])).asscalar() == pytest.approx(np.exp(4), rel=1e-6)
    for one in (1, 0):
        y[one].backward()
    for one in x:
        v = one.asscalar()
        assert one.grad.asscalar() == pytest.approx(2 * v * np.exp(v * v), rel=1e-5)


def test_a_block_that_is_called_on_its_own_result():
    block = hybrid(lambda F, x: x * x)
    x = nd.array([2.0])
    x.attach_grad()
    with autograd.record():
        y = block(block(block(x)))
    y.backward()
    assert y.asscalar() == 256
    assert x.grad.asscalar() == 8 * 2**7


def test_gradients_inside_and_around():
    block = hybrid(lambda F, x: x * x)
    x = nd.array([3.0])
    x.attach_grad()
    with autograd.record():
        y = (block(x * 2) + x) * 5
    y.backward()
    assert x.grad.asscalar() == 5 * (8 * 3 + 1)


@pytest.mark.parametrize("req", ["write", "add", "null"])
def test_requests_of_inputs(req):
    block = hybrid(lambda F, x, y: x * y)
    x, y = nd.array([3.0]), nd.array([5.0])
    x.attach_grad(grad_req=req)
    y.attach_grad()
    for _ in range(2):
        with autograd.record():
            z = block(x, y)
        z.backward()
    assert y.grad.asscalar() == 3
    if req != "null":
        assert x.grad.asscalar() == {"write": 5, "add": 10}[req]


def test_one_array_as_both_inputs():
    block = hybrid(lambda F, x, y: x * 2 + y * 3)
    x = nd.array([1.0])
    x.attach_grad()
    with autograd.record():
        z = block(x, x)
    z.backward()
    assert x.grad.asscalar() == 5


def test_only_some_outputs_get_a_gradient():
    block = hybrid(lambda F, x: (x * 2, F.exp(x), x))
    x = nd.array([0.0])
    x.attach_grad()
    with autograd.record():
        _, second, third = block(x)
    autograd.backward([second, third], [nd.full(1, 10), nd.full(1, 1)])
    assert x.grad.asscalar() == 11


def test_gradients_of_gradients_say_what_to_do():
    block = hybrid(lambda F, x: x * x)
    x = nd.array([3.0])
    x.attach_grad()
    with autograd.record():
        y = block(x)
        with pytest.raises(OpforgeError, match=r"call hybridize\(False\)"):
            autograd.grad(y, [x], create_graph=True)


def test_autograd_grad_of_a_hybridized_block():
    block = hybrid(lambda F, x: x * x)
    x = nd.array([3.0])
    x.attach_grad()
    with autograd.record():
        y = block(x)
    (grad,) = autograd.grad(y, [x])
    assert grad.asscalar() == 6


def test_outputs_that_are_changed_afterwards_do_not_change_the_next_call():
    block = hybrid(lambda F, x: x * 2)
    y = block(nd.ones(1))
    y[:] = 100
    assert block(nd.ones(1)).asscalar() == 2
    assert y.asscalar() == 100


def test_constants_of_a_graph_are_not_given_away():
    block = hybrid(lambda F, x: (F.ones_like(x), F.zeros(shape=(2,)) + 1, x))
    for _ in range(2):
        one, other, _ = block(nd.zeros(2))
        assert one.asnumpy().tolist() == other.asnumpy().tolist() == [1, 1]
        one[:] = 5
        other[:] = 5


def test_draws_differ_from_call_to_call():
    block = hybrid(lambda F, x: x + F.random.uniform(shape=(4,)))
    x = nd.zeros(4)
    first, second = block(x).asnumpy(), block(x).asnumpy()
    assert not np.array_equal(first, second)
    mx.random.seed(3)
    again = block(x).asnumpy()
    mx.random.seed(3)
    np.testing.assert_array_equal(nd.random.uniform(shape=(4,)).asnumpy(), again)


@pytest.mark.plugins
def test_states_and_draws_come_in_the_order_of_the_program():
    class Twice(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.norm = nn.BatchNorm(momentum=0.5)

        def hybrid_forward(self, F, x, y):
            first, second = self.norm(x), self.norm(y)
            one, other = F.random.uniform(shape=(2, 1)), F.random.uniform(shape=(2, 1))
            return second + first * 2, other * 100 + one

    x, y = nd.array([[1.0], [3.0]]), nd.array([[100.0], [300.0]])
    found = []
    for active in (False, True):
        net = Twice()
        net.initialize()
        net.hybridize(active)
        mx.random.seed(1)
        with autograd.record():
            _, drawn = net(x, y)
        found.append([net.norm.running_mean.data().asscalar(), *drawn.asnumpy().ravel()])
    assert found[0] == found[1]
    assert found[0][0] == 100.5


@pytest.mark.plugins
def test_states_change_in_training_only():
    net = nn.BatchNorm(momentum=0.5)
    net.initialize()
    net.hybridize()
    x = nd.array([[1.0], [3.0]])
    net(x)
    assert net.running_mean.data().asscalar() == 0
    step(net, x)
    assert net.running_mean.data().asscalar() == 1
    with autograd.record(train_mode=False):
        y = net(x)
    y.backward()
    assert net.running_mean.data().asscalar() == 1


# -- operators of authors -------------------------------------------------------------------------


class Remembering(mx.operator.CustomOp):
    """Multiplies by the number of the object; backward by what forward kept."""

    def __init__(self, stateless):
        super().__init__()
        self.stateless = stateless
        self.kept = None

    def forward(self, is_train, req, in_data, out_data, aux):
        if float(in_data[0].sum().asscalar()) < 0:
            raise KeyError("no negative numbers")
        if not self.stateless:
            self.kept = in_data[0].asnumpy()
        self.assign(out_data[0], req[0], in_data[0] * in_data[0])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        if float(out_grad[0].sum().asscalar()) < 0:
            raise KeyError("no negative gradients")
        kept = in_data[0] if self.stateless else nd.array(self.kept)
        self.assign(in_grad[0], req[0], 2 * kept * out_grad[0])


@mx.operator.register("cached_graph_remembering")
class RememberingProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx, shapes, dtypes):
        return Remembering(False)


@mx.operator.register("cached_graph_stateless")
class StatelessProp(mx.operator.CustomOpProp):
    stateless = True

    def create_operator(self, ctx, shapes, dtypes):
        return Remembering(True)


@pytest.mark.parametrize("kind", ["remembering", "stateless"])
def test_calls_that_overlap_keep_their_own_state(kind):
    block = hybrid(lambda F, x: F.Custom(x + 1, op_type=f"cached_graph_{kind}") * 3)
    x = [nd.array([1.0]), nd.array([4.0])]
    for one in x:
        one.attach_grad()
    with autograd.record():
        y = [block(one) for one in x]
    for one in y:
        one.backward()
    assert [one.grad.asscalar() for one in x] == [12, 30]


def test_an_author_s_exception_names_the_node_and_leaves_the_block_usable():
    block = hybrid(lambda F, x: F.Custom(x, op_type="cached_graph_remembering", name="squarer") * 1)
    with pytest.raises(OperatorError, match="no negative numbers") as caught:
        block(nd.array([-1.0]))
    assert any("'squarer'" in note or "squarer" in note for note in caught.value.__notes__)
    cause = caught.value.__cause__.__traceback__
    while cause.tb_next is not None:
        cause = cause.tb_next
    assert cause.tb_frame.f_code.co_filename == __file__
    x = nd.array([2.0])
    assert [float(v[0]) for v in step(block, x)] == [4, 4]
    with pytest.raises(OperatorError, match="no negative gradients"):
        step(block, x, head=nd.array([-1.0]))
    assert not autograd.is_recording()
    assert [float(v[0]) for v in step(block, x)] == [4, 4]


# -- memory, threads, processes -------------------------------------------------------------------


def mlp():
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Dense(8, activation="tanh"), nn.LayerNorm(), nn.Dense(3))
    net.initialize("normal")
    net.hybridize(static_alloc=True, static_shape=True)
    return net


@pytest.mark.plugins
def test_a_steady_state_takes_no_memory_from_the_system():
    net = mlp()
    x = nd.ones((4, 5))
    for _ in range(5):
        step(net, x)
    before = memory_stats()
    for _ in range(50):
        step(net, x)
    after = memory_stats()
    changed = {key for key in before if before[key] != after[key]}
    assert changed <= {"pool_hits"}


@pytest.mark.plugins
def test_calls_that_overlap_take_no_memory_from_the_system_either():
    net = mlp()
    x = nd.ones((4, 5))
    x.attach_grad()

    def unrolled():
        with autograd.record():
            total = sum(net(x).sum() for _ in range(12))
        total.backward()

    for _ in range(3):
        unrolled()
    before = memory_stats()
    for _ in range(5):
        unrolled()
    after = memory_stats()
    assert after["system_allocations"] == before["system_allocations"]
    assert after["live_bytes"] == before["live_bytes"]


@pytest.mark.plugins
@pytest.mark.usefixtures("no_collector")
def test_ten_thousand_steps_leave_memory_flat():
    block = hybrid(lambda F, x: F.tanh(x * 2) * F.softmax(x))
    x = nd.ones((2, 3))
    x.attach_grad()
    for count in (100, 10_000):
        for _ in range(count):
            with autograd.record():
                y = block(x)
            y.backward()
        if count == 100:
            before = memory_stats()
    after = memory_stats()
    assert after["live_buffers"] == before["live_buffers"]
    assert after["live_bytes"] == before["live_bytes"]
    assert after["system_allocations"] == before["system_allocations"]


@pytest.mark.plugins
@pytest.mark.parametrize("trains", [False, True])
def test_many_shapes_leave_memory_flat(trains, monkeypatch):
    monkeypatch.setenv("OPFORGE_GRAPH_LIMIT_MB", "1")
    net = mlp()

    def call(n):
        x = nd.ones((n, 5))
        (step(net, x) if trains else net(x))

    live = []
    for count in (150, 300):
        for n in range(1, count):
            call(n)
        call(300)
        live.append(memory_stats()["live_bytes"])
    assert live[1] <= live[0] + 64 * 1024
    assert net._graph._kinds.nbytes <= 1 << 20
    assert len(net._graph._kinds) < 150


@pytest.mark.plugins
@pytest.mark.usefixtures("no_collector")
def test_shapes_share_the_memory_of_intermediate_results():
    net = nn.HybridSequential()
    net.add(*(nn.Dense(512, in_units=512) for _ in range(4)))
    net.initialize()
    net.hybridize()
    net(nd.ones((64, 512)))
    before = memory_stats()["live_bytes"]
    for n in range(1, 64):
        net(nd.ones((n, 512)))
    assert memory_stats()["live_bytes"] == before


@pytest.mark.plugins
def test_outputs_of_other_shapes_stay_what_they_were():
    net = mlp()
    arrays = [nd.random.uniform(shape=(n, 5)) for n in (7, 3, 9, 1, 9)]
    outputs = [net(x) for x in arrays]
    copies = [y.asnumpy() for y in outputs]
    net.hybridize(False)
    for x, y, copy in zip(arrays, outputs, copies, strict=True):
        np.testing.assert_array_equal(y.asnumpy(), copy)
        np.testing.assert_allclose(copy, net(x).asnumpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.plugins
def test_recorded_calls_of_several_shapes_wait_for_their_backward_pass(monkeypatch):
    monkeypatch.setenv("OPFORGE_GRAPH_LIMIT_MB", "1")
    net = mlp()
    arrays = [nd.random.uniform(shape=(n, 5)) for n in (7, 3, 9, 1, 9, 200)]
    for x in arrays:
        x.attach_grad()
    with autograd.record():
        outputs = [net(x) for x in arrays]
    for n in range(10, 120):  # the kinds of the recorded calls are given up meanwhile
        net(nd.ones((n, 5)))
    for y in reversed(outputs):
        y.backward()
    grads = [x.grad.asnumpy() for x in arrays]
    net.hybridize(False)
    for x, grad in zip(arrays, grads, strict=True):
        np.testing.assert_allclose(grad, step(net, x)[1], rtol=1e-4, atol=1e-6)


@pytest.mark.plugins
def test_a_recorded_call_that_is_dropped_gives_its_memory_back():
    net = mlp()
    net(nd.ones((50, 5)))
    for _ in range(3):
        with autograd.record():
            net(nd.ones((50, 5)))
        (arena,) = net._graph._arenas.values()
        if _ == 0:
            idle = arena.idle_bytes
    assert arena.idle_bytes == idle


@pytest.mark.plugins
def test_shapes_in_several_threads(monkeypatch):
    monkeypatch.setenv("OPFORGE_GRAPH_LIMIT_MB", "1")
    net = mlp()
    arrays = {n: nd.random.uniform(shape=(n, 5)) for n in range(1, 40)}
    want = {n: net(x).asnumpy() for n, x in arrays.items()}
    failures = []

    def run(start):
        for at in range(60):
            n = (start + 7 * at) % 39 + 1
            x = nd.array(arrays[n].asnumpy())
            x.attach_grad()
            with autograd.record():
                y = net(x)
            if not np.allclose(y.asnumpy(), want[n], rtol=1e-5, atol=1e-6):
                failures.append(n)
            y.backward()

    threads = [threading.Thread(target=run, args=(start,)) for start in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.plugins
@pytest.mark.usefixtures("no_collector")
def test_graphs_are_freed_without_the_collector():
    gc.collect()
    before = memory_stats()["live_bytes"]
    net = mlp()
    graph = None
    x = nd.ones((4, 5))
    step(net, x)
    graph = weakref.ref(net._graph)
    net.hybridize()
    assert graph() is None
    step(net, x)
    graph = weakref.ref(net._graph)
    del net, x
    assert graph() is None
    gc.collect()
    assert memory_stats()["live_bytes"] == before


@pytest.mark.plugins
def test_one_block_in_many_threads():
    net = mlp()
    x = nd.array(np.linspace(-1, 1, 20).reshape(4, 5))
    want = net(x).asnumpy()
    failures = []

    def run():
        for _ in range(40):
            mine = nd.array(x.asnumpy())
            mine.attach_grad()
            with autograd.record():
                y = net(mine)
            if not np.array_equal(y.asnumpy(), want):
                failures.append(y)
            autograd.grad(y, [mine])

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.plugins
def test_a_block_works_in_a_forked_child():
    net = mlp()
    x = nd.ones((4, 5))
    want = step(net, x)
    pid = os.fork()
    if pid == 0:
        good = False
        try:
            good = all(np.array_equal(a, b) for a, b in zip(step(net, x), want, strict=True))
        finally:
            os._exit(0 if good else 1)
    assert os.waitpid(pid, 0)[1] == 0


@pytest.mark.plugins
def test_export_before_the_first_call_says_what_to_do():
    with pytest.raises(OpforgeError, match="please first call"):
        mlp().export("nowhere")


# -- shapes that depend on values ------------------------------------------------------------------


@pytest.mark.plugins
def test_a_block_whose_shapes_depend_on_values_runs_call_by_call():
    block = hybrid(lambda F, x, mask: F.contrib.boolean_mask(x * 2, mask) + 1)
    x = nd.array([[1, 2], [3, 4], [5, 6]])
    for mask in ([0, 1, 1], [1, 0, 0], [0, 0, 0], [1, 1, 1]):
        chosen = np.array(mask) > 0
        y, dx, _ = step(block, x, nd.array(mask))
        np.testing.assert_array_equal(y, x.asnumpy()[chosen] * 2 + 1)
        np.testing.assert_array_equal(dx, np.repeat(chosen[:, None] * 2.0, 2, 1))
    assert block.count == 1 + 4  # traced once


@pytest.mark.plugins
def test_what_is_inside_of_such_a_block_is_compiled_and_gets_its_shapes():
    class Net(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.inner = Calls(lambda F, x: F.exp(x) * 2)
            self.dense = nn.Dense(3)

        def hybrid_forward(self, F, x, mask):
            return self.dense(F.contrib.boolean_mask(self.inner(x), mask))

    net = Net()
    net.initialize()
    net.hybridize()
    for mask in ([0, 1, 1], [1, 0, 0]):
        assert net(nd.ones((3, 2)), nd.array(mask)).shape == (sum(mask), 3)
    assert net.dense.weight.shape == (3, 2)
    assert net.inner.count == 2  # traced in the trace of the whole, then by itself


@pytest.mark.plugins
def test_loops_may_choose_rows_in_each_turn():
    def count(F, x, masks):
        def body(mask, total):
            total = total + F.sum(F.contrib.boolean_mask(x, mask), axis=0)
            return total, total

        return F.contrib.foreach(body, masks, F.zeros((1,)))

    block = hybrid(lambda F, x, masks: count(F, x, masks)[0])
    y = block(nd.array([[1.0], [10.0]]), nd.array([[1, 0], [1, 1], [0, 0]]))
    assert y.asnumpy().ravel().tolist() == [1, 12, 12]
