import numpy as np
import pytest

import opforge
from opforge import test_utils
from opforge.testing import _samples


def test_random_shapes_and_arrays():
    for _ in range(50):
        assert all(1 <= size <= 3 for size in test_utils.rand_shape_nd(4, 3))
    assert len(test_utils.rand_shape_2d()) == 2
    assert test_utils.rand_shape_3d(1, 1, 1) == (1, 1, 1)
    assert test_utils.rand_shape_2d(0, 0, allow_zero_size=True) == (0, 0)
    a, b = test_utils.random_arrays((2,), ())
    assert (a.shape, a.dtype, b.shape) == ((2,), np.float32, ())
    assert test_utils.random_arrays((3, 2)).shape == (3, 2)


def test_rand_ndarray():
    x = test_utils.rand_ndarray((50, 40), dtype="float64", density=0.25)
    assert (x.shape, x.dtype) == ((50, 40), np.float64)
    assert 300 < np.count_nonzero(x.asnumpy()) < 700
    assert test_utils.rand_ndarray((2,)).dtype == test_utils.default_dtype()
    with pytest.raises(ValueError, match="csr"):
        test_utils.rand_ndarray((2,), stype="csr")


def test_default_context(monkeypatch):
    monkeypatch.setattr(_samples, "_chosen_context", None)
    assert test_utils.default_context() == opforge.cpu()
    with opforge.cpu(1):
        assert test_utils.default_context() == opforge.cpu(1)
    test_utils.set_default_context(opforge.cpu(2))
    assert test_utils.rand_ndarray((1,)).context == opforge.cpu(2)
