"""Operators that graphs fuse into a convolution agree with separate ones."""

import numpy as np
import pytest

from opforge import gluon, nd

ARRAYS = {
    "float32": ((2, 3, 12, 9), (8, 3, 3, 2), "NCHW"),
    "float64": ((2, 3, 12, 9), (8, 3, 3, 2), "NCHW"),
    "last": ((2, 12, 9, 3), (8, 3, 2, 3), "NHWC"),
}


class Net(gluon.HybridBlock):
    """A convolution, a scale and a shift of channels, an addition, and an activation."""

    def __init__(self, operator, layout):
        super().__init__()
        self._operator, self._layout = operator, layout

    def hybrid_forward(self, F, x, weight, bias, scale, other):
        size = {"kernel": (3, 2), "num_filter": 8, "layout": self._layout}
        y = getattr(F, self._operator)(x, weight, bias, no_bias=False, **size)
        return F.relu(F.broadcast_add(F.broadcast_mul(y, scale), scale) + other) * 0.5


@pytest.mark.parametrize("case", sorted(ARRAYS))
@pytest.mark.parametrize("operator", ["Convolution", "Deconvolution"])
def test_fused_operators_agree(operator, case):
    data, weight, layout = ARRAYS[case]
    dtype = case if case != "last" else "float32"
    if operator == "Deconvolution":
        filters, inner = weight[0], data[layout.index("C")]
        weight = (inner, filters, 3, 2) if layout == "NCHW" else (inner, 3, 2, filters)
    rng = np.random.default_rng(0)
    channels = (1, 8, 1, 1) if layout == "NCHW" else (1, 1, 1, 8)
    first = [nd.array(rng.standard_normal(s), dtype=dtype) for s in (data, weight, (8,), channels)]
    net = Net(operator, layout)
    size = {"kernel": (3, 2), "num_filter": 8, "layout": layout, "no_bias": False}
    other = nd.array(
        rng.standard_normal(getattr(nd, operator)(*first[:3], **size).shape), dtype=dtype
    )
    apart = net(*first, other)
    net.hybridize()
    together = net(*first, other)
    tolerance = 1e-5 if dtype == "float32" else 1e-13
    np.testing.assert_allclose(together.asnumpy(), apart.asnumpy(), rtol=tolerance, atol=tolerance)
