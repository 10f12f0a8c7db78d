"""Custom operators in hybridized blocks."""

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, nd
from opforge.base.errors import OperatorError


class Remembering(mx.operator.CustomOp):
    """Multiplies by the number of the object; backward uses an array that forward kept."""

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
def test_calls_that_overlap_keep_their_own_state(kind, hybrid):
    block = hybrid(lambda F, x: F.Custom(x + 1, op_type=f"cached_graph_{kind}") * 3)
    x = [nd.array([1.0]), nd.array([4.0])]
    for one in x:
        one.attach_grad()
    with autograd.record():
        y = [block(one) for one in x]
    for one in y:
        one.backward()
    assert [one.grad.asscalar() for one in x] == [12, 30]


def test_an_author_s_exception_names_the_node_and_leaves_the_block_usable(hybrid, step):
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


class Counting(mx.operator.CustomOp):
    """Returns the number of calls of the object; its gradient uses the first input it has seen."""

    calls, first = 0, None

    def forward(self, is_train, req, in_data, out_data, aux):
        self.calls += 1
        self.assign(out_data[0], req[0], in_data[0] * 0 + self.calls)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        if self.first is None:
            self.first = in_data[0].copy()
        self.assign(in_grad[0], req[0], 2 * self.first * out_grad[0])


@mx.operator.register("cached_graph_counting")
class CountingProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx, shapes, dtypes):
        return Counting()


@pytest.mark.parametrize("flags", [{}, {"static_alloc": True, "static_shape": True}], ids=str)
@pytest.mark.parametrize("is_in_loop", [False, True])
def test_each_call_gets_an_object_of_its_own(flags, is_in_loop, hybrid, step):
    def called(F, x):
        return F.Custom(x, op_type="cached_graph_counting")

    def looped(F, x):
        return F.contrib.foreach(lambda row, state: (called(F, row), state), x, F.zeros((1,)))[0]

    block = hybrid(looped if is_in_loop else called)
    block.hybridize(**flags)
    for value in (1, 5, 7):
        x = np.array([value, value + 1])[: 1 + is_in_loop]
        y, dx, *_ = step(block, nd.array(x))
        np.testing.assert_array_equal(y.ravel(), np.ones(x.shape))
        np.testing.assert_array_equal(dx, 2 * x)
    for _ in range(2):  # without gradients, all iterations run one program
        assert set(block(nd.ones(3 if is_in_loop else 1)).asnumpy().ravel()) == {1}


def test_an_executor_keeps_its_object():
    graph = mx.sym.Custom(mx.sym.var("x"), op_type="cached_graph_counting")
    executor = graph.bind(mx.cpu(), {"x": nd.ones(1)})
    assert [executor.forward()[0].asscalar() for _ in range(2)] == [1, 2]  # as in MXNet
