"""`FCompute` functions get the arguments of NNVM's, and factories of them honor requests."""

import numpy as np
import pytest

import opforge as mx
from opforge.op import nnvm


@pytest.mark.parametrize(
    ("req", "want"), [("write", [1, 2]), ("inplace", [1, 2]), ("add", [11, 12]), ("null", [10, 10])]
)
def test_requests_are_honoured(req, want):
    y = mx.nd.full((2,), 10)
    nnvm.unary_compute(np.abs)(None, None, [mx.nd.array([-1, 2])], [req], [y])
    assert y.asnumpy().tolist() == want


def test_two_inputs():
    y = mx.nd.zeros((2,))
    arrays = [mx.nd.array([5, 5]), mx.nd.array([-1, 2])]
    nnvm.binary_compute(nnvm.unary_bwd(np.sign))(None, None, arrays, ["write"], [y])
    assert y.asnumpy().tolist() == [-5, 5]


def test_compute_function_receives_context_and_requests():
    seen = []

    def compute(attrs, ctx, inputs, req, outputs):
        seen.append((attrs.op, ctx.is_train, ctx.device, len(inputs), req, len(outputs)))
        nnvm.assign(outputs[0], req[0], inputs[0])

    (
        nnvm.register_op("test_compute_seen")
        .set_attr("FInferShape", nnvm.elemwise_shape(1, 1))
        .set_attr("FCompute<cpu>", compute)
        .set_attr("FGradient", nnvm.make_zero_grad_nodes)
    )
    x = mx.nd.ones((2,))
    mx.nd.test_compute_seen(x)
    with mx.autograd.record():
        mx.nd.test_compute_seen(x)
    assert seen == [("test_compute_seen", t, mx.cpu(), 1, ["write"], 1) for t in (False, True)]


def test_an_operator_without_it_cannot_run():
    nnvm.register_op("test_compute_none").set_attr("FInferShape", nnvm.elemwise_shape(1, 1))
    with pytest.raises(mx.MXNetError, match="'test_compute_none' has no FCompute<cpu>"):
        mx.nd.test_compute_none(mx.nd.ones((2,)))
