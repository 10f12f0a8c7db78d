"""Conversions of entire arrays: plain and streamed, in place and not."""

import numpy as np
import pytest

from opforge.base.dtypes import NAMES
from opforge.native import array, calls
from opforge.native.loops import stores

SIZES = [0, 1, 511, 512, 513, 1024, 40_001]


@pytest.fixture(params=["plain", "streamed"])
def _stores(request):
    before = stores._set_threshold(0 if request.param == "streamed" else 1 << 60)
    yield
    stores._set_threshold(before)


@pytest.mark.usefixtures("_stores")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("source", "target"), [("float32", "float64"), ("int64", "int8")])
def test_any_size_and_any_start(source, target, size):
    values = (np.arange(size + 3) % 100).astype(source)
    source_array = array.from_numpy(values, NAMES.index(source))
    for start in (0, 1, 3):
        out = array.zeros((size + 3,), NAMES.index(target))
        calls.cast(source_array._view(start, (size,)), out._view(start, (size,)))
        expected = np.zeros(size + 3, target)
        expected[start : start + size] = values[start : start + size]
        np.testing.assert_array_equal(out.asnumpy(), expected)


@pytest.mark.usefixtures("_stores")
def test_in_place():
    x = array.from_numpy(np.arange(3000.0), 1)
    calls.cast(x, x)
    np.testing.assert_array_equal(x.asnumpy(), np.arange(3000.0))
