"""When a block is traced, and with which arguments."""

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, gluon, nd
from opforge.base.errors import ShapeError
from opforge.gluon import nn


def test_a_trace_for_each_rank_type_and_mode(hybrid):
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


def test_a_block_that_reads_sizes_is_traced_for_each(hybrid):
    block = hybrid(lambda F, x: x * x.shape[0])
    for _ in range(2):
        for n in (2, 3):
            assert block(nd.ones((n, 1))).asnumpy().tolist() == [[n]] * n
    assert block.count == 2


def test_sizes_of_an_input_that_the_graph_does_not_read_count(hybrid):
    block = hybrid(lambda F, x, y: x * y.shape[0])
    for n in (2, 2, 3, 2):
        assert block(nd.ones((1,)), nd.ones((n, 1))).asscalar() == n
    assert block.count == 2


def test_ndim_does_not_cause_retracing(hybrid):
    block = hybrid(lambda F, x: x * x.ndim)
    for n in (2, 3):
        assert block(nd.ones((n, 1))).asnumpy().tolist() == [[2]] * n
    assert block.count == 1


def test_size_dependent_blocks_are_retraced(hybrid, step):
    block = hybrid(lambda F, x, y: x + y)
    for n in (3, 2, 1):
        x, y = nd.ones((3, 2)), nd.ones((3, 2) if n == 3 else (1, n))
        assert step(block, x, y)[0].tolist() == [[2, 2]] * 3
    with pytest.raises(ShapeError):
        block(nd.ones((3, 2)), nd.ones((2, 3)))
    assert block(nd.ones((4, 2)), nd.ones((4, 2))).shape == (4, 2)


def test_hybrid_forward_sees_the_mode(hybrid):
    block = hybrid(lambda F, x: x * (2 if autograd.is_training() else 3))
    assert block(nd.ones(1)).asscalar() == 3
    with autograd.record():
        assert block(nd.ones(1)).asscalar() == 2
    assert block(nd.ones(1)).asscalar() == 3


def test_hybrid_forward_sees_whether_calls_are_recorded(hybrid):
    block = hybrid(lambda F, x: x * (1 + autograd.is_recording() + 2 * autograd.is_training()))
    x, found = nd.ones(1), []
    for _ in range(2):
        found.append(block(x).asscalar())
        for mode in (autograd.record(), autograd.record(train_mode=False), autograd.train_mode()):
            with mode:
                found.append(block(x).asscalar())
    assert found == [1, 4, 2, 3] * 2
    assert block.count == 4


def test_none_is_part_of_the_kind(hybrid):
    block = hybrid(lambda F, x, y=None: x if y is None else x + y)
    x = nd.ones(1)
    values = [block(x).asscalar(), block(x, x).asscalar(), block(x, None).asscalar()]
    assert values == [1, 2, 1]


@pytest.mark.parametrize("argument", [3, True, "a", {"a": 1}, [nd.ones(1), 3]])
def test_non_array_arguments_are_rejected(argument, hybrid):
    block = hybrid(lambda F, x, y: x)
    with pytest.raises(ValueError, match="list of Symbol or NDArray, but got"):
        block(nd.ones(1), argument)


def test_arrays_and_symbols_do_not_mix(hybrid):
    block = hybrid(lambda F, x, y: x + y)
    for arguments in ((nd.ones(1), mx.sym.var("a")), (mx.sym.var("a"), nd.ones(1))):
        with pytest.raises(ValueError, match="mixed NDArrays and Symbols"):
            block(*arguments)


def test_arrays_of_two_contexts_are_rejected(hybrid):
    block = hybrid(lambda F, x, y: x + y)
    for first, second in ((1, 2), (1, 1), (1, 2)):
        arrays = nd.ones(1, ctx=mx.cpu(first)), nd.ones(1, ctx=mx.cpu(second))
        if first == second:
            assert block(*arrays).asscalar() == 2
            continue
        with pytest.raises(ValueError, match=r"multiple contexts.*cpu\(1\), cpu\(2\)"):
            block(*arrays)


def test_nested_inputs_and_outputs(hybrid):
    block = hybrid(lambda F, pair, z: [pair[0] + z, (pair[1][0] * 2, None), F.split(z, 2, axis=0)])
    first, (second, nothing), parts = block([nd.ones(2), (nd.ones(2), None)], nd.array([1, 2]))
    assert first.asnumpy().tolist() == [2, 3]
    assert second.asnumpy().tolist() == [2, 2]
    assert nothing is None
    assert [part.asscalar() for part in parts] == [1, 2]


def test_children_that_are_added_or_replaced_count(hybrid):
    net = nn.HybridSequential()
    net.add(hybrid(lambda F, x: x + 1))
    net.hybridize()
    assert net(nd.ones(1)).asscalar() == 2
    net.add(hybrid(lambda F, x: x * 10))
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
def test_a_parameter_that_wants_no_gradient_any_more_gets_none(step):
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
def test_deferred_parameters_of_shared_layers(step):
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


def test_undetermined_deferred_shapes_raise():
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
def test_arrays_whose_shape_means_unknown_run_imperatively(shape, hybrid):
    block = hybrid(lambda F, x: x * 2)
    assert block(nd.ones(shape)).shape == shape
    assert block.count == 1
    block(nd.ones(shape))
    assert block.count == 2


def test_results_without_elements_run_imperatively_and_say_so_once(hybrid, step):
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


def test_an_output_returned_twice_is_one_array(hybrid, step):
    def forward(F, x):
        y = x + 1
        return y, [y, x * 2]

    block = hybrid(forward)
    first, (again, other) = block(nd.ones(2))
    assert first is again and other is not first
    x = nd.ones(2)
    x.attach_grad()
    with autograd.record():
        first, (again, _) = block(x)
        (first * again).sum().backward()
    assert x.grad.asnumpy().tolist() == [4, 4]
