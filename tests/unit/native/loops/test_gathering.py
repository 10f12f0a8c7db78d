"""Slices of a table that several threads gather and add to."""

import numpy as np
import pytest

from opforge.base.context import cpu
from opforge.base.dtypes import CODES
from opforge.native import array
from opforge.native.calls import indexing


def array_of(values):
    values = np.asarray(values, order="C")
    return array.from_numpy(values, CODES[values.dtype.name], cpu())


def numbers(shape, dtype="float32", seed=0):
    return np.random.default_rng(seed).integers(0, 100, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
@pytest.mark.parametrize("inner", [1, 3, 40])
def test_parts_may_end_anywhere(dtype, inner):
    # Enough work for several threads, whose parts do not end where the first axis steps.
    x = numbers((5, 7, inner), dtype)
    index = np.random.default_rng(0).integers(0, 7, 60_000 // inner)
    out = array_of(np.zeros((5, len(index), inner), dtype))
    indexing.take(array_of(x), array_of(index), out, 1)
    np.testing.assert_array_equal(out.asnumpy(), x[:, index])
    dy = numbers(out.shape, dtype, seed=1) % 2
    want = np.zeros_like(x)
    np.add.at(np.moveaxis(want, 1, 0), index, np.moveaxis(dy, 1, 0))
    back = array_of(x)
    indexing.take_grad(array_of(dy), array_of(index), back, 1)
    np.testing.assert_array_equal(back.asnumpy(), want)
