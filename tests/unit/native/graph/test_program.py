import numpy as np
import pytest

import opforge as mx
from opforge import autograd, nd
from opforge.base.errors import OpforgeError, ShapeError
from opforge.native.graph.program import Program, Step, StoreStep, arena, arena_view

U8, F32 = 3, 0


def test_a_store_writes_or_adds():
    x, written, added = nd.array([1.0, 2.0]), nd.full(2, 7), nd.full(2, 7)
    program = Program(
        [(StoreStep("write"), "a", [0], [1]), (StoreStep("add"), "b", [0], [2])],
        [x, written, added],
    )
    assert len(program) == 2
    program.run(0, 2, False)
    program.run(0, 2, False)
    assert written.asnumpy().tolist() == [1, 2]
    assert added.asnumpy().tolist() == [9, 11]


def test_ranges_of_steps():
    x, y, z = nd.ones(1), nd.zeros(1), nd.zeros(1)
    program = Program([(StoreStep(), "a", [0], [1]), (StoreStep(), "b", [1], [2])], [x, y, z])
    program.run(0, 1, False)
    assert (y.asscalar(), z.asscalar()) == (1, 0)
    program.run(1, 2, False)
    assert z.asscalar() == 1
    program.run(0, 0, False)
    for begin, end in ((-1, 1), (0, 3)):
        with pytest.raises(ValueError, match="of 2"):
            program.run(begin, end, False)


def test_slots_are_filled_from_run_to_run():
    target = nd.zeros(1)
    program = Program([(StoreStep("add"), "sum", [0], [1])], [None, target])
    for value in (1, 10):
        program.put(0, nd.full(1, value))
        program.run(0, 1, False)
    assert target.asscalar() == 11
    assert program.get(1) is target


@pytest.mark.parametrize("slot", [0, 1])
def test_empty_slots_are_refused_by_the_node_s_name(slot):
    arrays = [nd.ones(1), nd.ones(1)]
    program = Program([(StoreStep(), "the_node", [0], [1])], arrays)
    program.put(slot, None)
    with pytest.raises(OpforgeError, match=r"'the_node'.*no array"):
        program.run(0, 1, False)
    program.put(slot, arrays[slot])
    program.run(0, 1, False)


def test_a_step_of_the_base_class_says_that_it_does_nothing():
    with pytest.raises(NotImplementedError, match="Step"):
        Program([(Step(), "s", [], [])], []).run(0, 1, False)


def test_shapes_that_do_not_fit_are_refused():
    program = Program([(StoreStep(), "s", [0], [1])], [nd.ones(2), nd.ones(3)])
    with pytest.raises(ShapeError):
        program.run(0, 1, False)


class Modes(mx.operator.CustomOp):
    seen = []

    def forward(self, is_train, req, in_data, out_data, aux):
        Modes.seen.append((is_train, autograd.is_training(), autograd.is_recording()))
        self.assign(out_data[0], req[0], in_data[0])


@mx.operator.register("program_modes")
class ModesProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx, shapes, dtypes):
        return Modes()


def test_nothing_is_recorded_and_the_modes_come_back():
    executor = mx.sym.Custom(mx.sym.var("x"), op_type="program_modes").bind(
        mx.cpu(), {"x": nd.ones(1)}
    )
    Modes.seen.clear()
    for train in (False, True):
        executor.forward(is_train=train)
    with autograd.record():
        executor.forward(is_train=False)
        assert autograd.is_recording()
        assert autograd.is_training()
    assert Modes.seen == [(0, False, False), (1, True, False), (0, False, False)]


def test_views_of_an_arena_share_its_memory():
    memory = arena(256, mx.cpu())
    first = arena_view(memory, 64, (2, 3), F32)
    again = arena_view(memory, 72, (4,), F32)
    first[:] = nd.array(np.arange(6.0).reshape(2, 3))
    assert first.shape == (2, 3)
    assert again.asnumpy().tolist() == [2, 3, 4, 5]
    del memory
    assert first.asnumpy()[1, 2] == 5


@pytest.mark.parametrize(
    ("offset", "shape"), [(-8, (1,)), (4, (1,)), (64, (1,)), (0, (17,)), (40, (7,))]
)
def test_views_outside_of_an_arena_are_refused(offset, shape):
    with pytest.raises(ShapeError, match="does not fit an arena of 64"):
        arena_view(arena(64, mx.cpu()), offset, shape, F32)
    with pytest.raises(ShapeError):
        arena_view(nd.ones(64), 0, (1,), F32)


def test_an_empty_arena():
    assert arena_view(arena(0, mx.cpu()), 0, (0,), U8).shape == (0,)


@pytest.mark.parametrize("size", [10**12, 10**20])
def test_a_graph_that_no_memory_can_hold_raises_as_arrays_do(size):
    class Huge(mx.operator.CustomOpProp):
        def infer_shape(self, in_shape):
            return in_shape, [[size, 1000]], []

    mx.operator.register("test_program_huge")(Huge)
    net = mx.gluon.nn.HybridLambda(lambda F, x: F.Custom(x * 2, op_type="test_program_huge") + 1)
    with pytest.raises(MemoryError):
        net(nd.ones(2))
    net.hybridize()
    with pytest.raises(MemoryError):
        net(nd.ones(2))
