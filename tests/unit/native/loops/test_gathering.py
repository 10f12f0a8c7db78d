"""Slices of a table, gathered and scattered by several threads."""

import numpy as np
import pytest

from opforge.native.calls import indexing

from ..arrays import array_of, integers


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
@pytest.mark.parametrize("inner", [1, 3, 40])
def test_parts_may_end_anywhere(dtype, inner):
    # Enough work for several threads, whose parts do not align with the first axis.
    x = integers((5, 7, inner), dtype)
    index = np.random.default_rng(0).integers(0, 7, 60_000 // inner)
    out = array_of(np.zeros((5, len(index), inner), dtype))
    indexing.take(array_of(x), array_of(index), out, 1)
    np.testing.assert_array_equal(out.asnumpy(), x[:, index])
    dy = integers(out.shape, dtype, seed=1) % 2
    want = np.zeros_like(x)
    np.add.at(np.moveaxis(want, 1, 0), index, np.moveaxis(dy, 1, 0))
    back = array_of(x)
    indexing.take_grad(array_of(dy), array_of(index), back, 1)
    np.testing.assert_array_equal(back.asnumpy(), want)
