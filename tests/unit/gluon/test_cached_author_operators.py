"""Custom operators in hybridized blocks."""

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
