"""Pixel shuffle against the assignments that define it, and rejected arguments."""

import itertools

import numpy as np
import pytest

from opforge import autograd, gluon, nd
from opforge.base.errors import MXNetError

LAYERS = {axes: getattr(gluon.contrib.nn, f"PixelShuffle{axes}D") for axes in (1, 2, 3)}


def spread(x, factors):
    """Assign the pixels by their position in a block, as the definition does."""
    n, channels, *sizes = x.shape
    grouped = x.reshape(n, channels // np.prod(factors), *factors, *sizes)
    out = np.empty((*grouped.shape[:2], *np.multiply(sizes, factors)), x.dtype)
    for block in itertools.product(*map(range, factors)):
        slices = tuple(slice(at, None, step) for at, step in zip(block, factors, strict=True))
        out[(slice(None), slice(None), *slices)] = grouped[(slice(None), slice(None), *block)]
    return out


@pytest.mark.parametrize("factors", [(3,), (2, 3), (1, 2), (2, 3, 4), (2, 1, 2)])
def test_values_and_gradients(factors):
    layer = LAYERS[len(factors)](factors)
    x = np.random.default_rng(0).standard_normal(
        (2, 5 * np.prod(factors), 2, 3, 4)[: 2 + len(factors)]
    )
    want = spread(x, factors)
    for _ in range(2):
        data = nd.array(x, dtype="float64")
        data.attach_grad()
        with autograd.record():
            y = layer(data)
        assert y.asnumpy().tolist() == want.tolist()
        y.backward(nd.array(want * 2, dtype="float64"))
        # Each pixel is one element of the channels.
        assert data.grad.asnumpy().tolist() == (x * 2).tolist()
        layer.hybridize()


def test_one_factor_applies_to_all_axes():
    assert LAYERS[3](2)(nd.zeros((1, 16, 1, 2, 3))).shape == (1, 2, 2, 4, 6)
    assert LAYERS[2](np.int64(2))(nd.zeros((0, 4, 3, 3))).shape == (0, 1, 6, 6)


def test_repr_is_that_of_mxnet():
    assert [repr(LAYERS[axes](2)) for axes in (1, 2)] == [
        "PixelShuffle1D(2)",
        "PixelShuffle2D((2, 2))",
    ]


@pytest.mark.parametrize("factor", [(2, 2, 2), (2,), 0, (2, -1), ()])
def test_invalid_factors_raise(factor):
    with pytest.raises(ValueError, match=r"PixelShuffle2D: factor is .*each of 2 axes"):
        LAYERS[2](factor)


@pytest.mark.parametrize("shape", [(1, 6, 3, 3), (1, 4, 3), (1, 4, 3, 3, 3)])
def test_channels_that_factors_do_not_divide_raise(shape):
    with pytest.raises(MXNetError, match="reshape"):
        LAYERS[2](2)(nd.zeros(shape))
