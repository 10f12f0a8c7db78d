"""`needs_gradient` tells a gradient rule what it may omit, in every execution mode."""

import pytest

from opforge import autograd, nd
from opforge.gluon import HybridBlock
from opforge.op.registry import registry
from opforge.plugin_api import OperatorProp, needs_gradient

SEEN = []


class Both(OperatorProp):
    """Multiply, and record which gradients were requested."""

    name = "wanted_product"
    arguments = ("x", "y")
    saves = ("inputs",)

    def infer_shape(self, in_shape):
        """Return the shape of the first input."""
        return in_shape, [in_shape[0]], []

    def compute(self, in_data, out_data, req, is_train):
        """Multiply."""
        out_data[0][:] = in_data[0] * in_data[1]

    def gradient(self, F, out_grad, in_data, out_data):
        """Return the requested gradients."""
        SEEN.append([needs_gradient(item) for item in in_data])
        pairs = zip(in_data, in_data[::-1], SEEN[-1], strict=True)
        return [out_grad[0] * other if wanted else None for _, other, wanted in pairs]


class Block(HybridBlock):
    def hybrid_forward(self, F, x, y):
        return F.wanted_product(x, y)


@pytest.mark.parametrize("hybridized", [False, True])
def test_only_wanted_gradients_are_asked_for(hybridized):
    registry.register_operator(Both, "wanted-tests", "1.0", "plugin")
    SEEN.clear()
    block = Block()
    block.hybridize(hybridized)
    x, y = nd.array([2.0]), nd.array([3.0])
    y.attach_grad()
    with autograd.record():
        z = block(x, y)
    z.backward()
    assert SEEN == [[False, True]] and y.grad.asscalar() == 2
