import pytest

import opforge as mx
from opforge import autograd, nd
from opforge.base.errors import OpforgeError, ShapeError
from opforge.native.graph.program import Program
from opforge.native.graph.steps import StoreStep

U8, F32 = 3, 0


def test_store_writes_or_adds():
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
def test_empty_slots_are_rejected_by_the_node_s_name(slot):
    arrays = [nd.ones(1), nd.ones(1)]
    program = Program([(StoreStep(), "the_node", [0], [1])], arrays)
    program.put(slot, None)
    with pytest.raises(OpforgeError, match=r"'the_node'.*without an array"):
        program.run(0, 1, False)
    program.put(slot, arrays[slot])
    program.run(0, 1, False)


def test_shapes_that_do_not_fit_are_rejected():
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


def test_nothing_is_recorded_and_modes_are_restored():
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


@pytest.mark.parametrize("size", [10**12, 10**20])
def test_graph_larger_than_memory_raises(size):
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


class Doubling(mx.operator.CustomOp):
    """Notes what its backward is asked for and, where it is to add, what it is given to add to."""

    asked = []

    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] * 2)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        old = in_grad[0].asnumpy().tolist() if req[0] == "add" else None
        self.asked.append((req[0], old))
        self.assign(in_grad[0], req[0], out_grad[0] * 2)


@mx.operator.register("test_program_doubling")
class DoublingProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Doubling()


def double(F, x):
    return F.Custom(x, op_type="test_program_doubling")


ADDED, WRITTEN = ("add", [5.0, 5.0]), ("write", None)
#: A use of x, the requests that MXNet 1.9.1 makes of `backward`, and the slope.
USES = {
    "alone": (double, [ADDED], 2),
    "in a chain": (lambda F, x: double(F, double(F, x)), [WRITTEN, ADDED], 4),
    "with another": (lambda F, x: double(F, x) + x * 3, [WRITTEN], 5),
    "twice": (lambda F, x: double(F, x) + double(F, x), [WRITTEN, WRITTEN], 4),
    "of a result": (lambda F, x: double(F, x * 1), [WRITTEN], 2),
}


def by_arrays(use, x):
    with autograd.record():
        y = use(nd, x)
    y.backward()


def by_block(use, x):
    block = mx.gluon.nn.HybridLambda(use)
    block.hybridize()
    with autograd.record():
        y = block(x)
    y.backward()


def by_executor(use, x):
    executor = use(mx.sym, mx.sym.var("x")).bind(mx.cpu(), [x.detach()], [x.grad], "add")
    executor.forward(is_train=True)
    executor.backward(nd.ones(2))


@pytest.mark.parametrize("run", [by_arrays, by_block, by_executor])
@pytest.mark.parametrize("name", USES)
def test_backward_gets_add_requests_as_in_mxnet(name, run):
    use, asked, slope = USES[name]
    x = nd.ones(2)
    x.attach_grad("add")
    x.grad[:] = 5
    Doubling.asked.clear()
    run(use, x)
    assert Doubling.asked == asked
    assert x.grad.asnumpy().tolist() == [5 + slope] * 2


def test_graph_whose_variable_is_used_outside_again_writes():
    block = mx.gluon.nn.HybridLambda(double)
    block.hybridize()
    x = nd.ones(2)
    x.attach_grad("add")
    for uses, asked, total in ((1, ADDED, 7), (2, WRITTEN, 10), (1, ADDED, 7)):
        x.grad[:] = 5
        Doubling.asked.clear()
        with autograd.record():
            y = block(x) + x * 3 if uses == 2 else block(x)
        y.backward()
        assert Doubling.asked == [asked]
        assert x.grad.asnumpy().tolist() == [total] * 2


@pytest.mark.plugins
def test_module_adds_too():
    x = mx.sym.var("data")
    module = mx.mod.Module(double(mx.sym, x), label_names=None)
    module.bind([("data", (2,))], inputs_need_grad=True, grad_req="add")
    module.init_params()
    batch = mx.io.DataBatch([nd.ones(2)])
    Doubling.asked.clear()
    for _ in range(2):
        module.forward(batch, is_train=True)
        module.backward([nd.ones(2)])
    assert Doubling.asked == [("add", [0.0, 0.0]), ("add", [2.0, 2.0])]
    assert module.get_input_grads()[0].asnumpy().tolist() == [4, 4]
