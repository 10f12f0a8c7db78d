import numpy as np
import pytest

import opforge
from opforge import test_utils


def test_random_shapes():
    for _ in range(50):
        assert all(1 <= size <= 3 for size in test_utils.rand_shape_nd(4, 3))
    assert len(test_utils.rand_shape_2d()) == 2
    assert test_utils.rand_shape_3d(1, 1, 1) == (1, 1, 1)
    assert test_utils.rand_shape_2d(0, 0, allow_zero_size=True) == (0, 0)
    x, y = test_utils.rand_coord_2d(0, 1, 5, 6)
    assert (x, y) == (0, 5)


def test_shapes_and_arrays_repeat_with_numpys_seed():
    drawn = []
    for _ in range(2):
        np.random.seed(3)
        shape = test_utils.rand_shape_nd(5)
        drawn.append((shape, test_utils.rand_ndarray((2, 2)).asnumpy().tolist()))
    assert drawn[0] == drawn[1]


def test_random_arrays():
    a, b = test_utils.random_arrays((2,), ())
    assert (a.shape, a.dtype, b.shape) == ((2,), np.float32, ())
    assert test_utils.random_arrays((3, 2)).shape == (3, 2)
    (c,) = test_utils.random_uniform_arrays((100,), low=2, high=3, dtype="float64")
    assert c.dtype == np.float64
    assert ((c >= 2) & (c < 3)).all()
    with pytest.raises(TypeError):
        test_utils.random_uniform_arrays((1,), middle=0)


def test_random_sample():
    population = list(range(20))
    drawn = test_utils.random_sample(population, 20)
    assert sorted(drawn) == population
    assert test_utils.random_sample([], 0) == []
    with pytest.raises(AssertionError, match="cannot take 2 of 1"):
        test_utils.random_sample([1], 2)


def test_rand_ndarray():
    x = test_utils.rand_ndarray((50, 40), dtype="float64", density=0.25)
    assert (x.shape, x.dtype) == ((50, 40), np.float64)
    assert 300 < np.count_nonzero(x.asnumpy()) < 700
    assert test_utils.rand_ndarray((2,)).dtype == test_utils.default_dtype()
    assert test_utils.rand_ndarray((2,), ctx=opforge.cpu(2)).context == opforge.cpu(2)
    ones = test_utils.rand_ndarray((2, 2), modifier_func=lambda value: 1)
    assert (ones.asnumpy() == 1).all()
    matrix = test_utils.rand_ndarray((6, 5), "csr", density=0.5, dtype="float64")
    assert (matrix.stype, matrix.dtype, matrix.data.shape) == ("csr", np.float64, (15,))
