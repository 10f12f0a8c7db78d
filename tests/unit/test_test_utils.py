import numpy as np
import pytest

import opforge
from opforge import autograd, nd, test_utils


def test_same_and_same_array():
    a = nd.array([[1, 2], [3, 4]])
    assert test_utils.same(a, a.asnumpy())
    assert not test_utils.same(a, a.reshape((4,)))
    assert test_utils.same_array(a, a[0:1])
    assert not test_utils.same_array(a, a.copy())


def test_almost_equal_uses_the_coarser_types_tolerance():
    one = np.ones(3, np.float32)
    assert test_utils.almost_equal(one, nd.array(one * 1.0005))
    assert not test_utils.almost_equal(one.astype(np.float64), one.astype(np.float64) * 1.0005)
    assert not test_utils.almost_equal(np.array([1]), np.array([2]))
    assert test_utils.almost_equal(one, one * 1.1, rtol=0.2)
    assert test_utils.almost_equal(one, 1)
    assert not test_utils.almost_equal(one, 1, use_broadcast=False)
    nan = np.array([np.nan])
    assert not test_utils.almost_equal(nan, nan)
    assert test_utils.almost_equal(nan, nan, equal_nan=True)


def test_assert_almost_equal_lists_the_worst_elements():
    good = np.array([1.0, 2.0, 3.0, np.nan])
    with pytest.raises(AssertionError) as caught:
        test_utils.assert_almost_equal(nd.array(good), good * [1, 1.5, 1.1, 1], names=("x", "y"))
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("3 of 4 elements differ by more than rtol=0.0001, atol=0.001")
    assert [line.split(":")[0].strip() for line in lines[1:4]] == ["(3,)", "(1,)", "(2,)"]
    assert "x=2.0, y=3.0" in lines[2]
    test_utils.assert_almost_equal(good[:3], nd.array(good[:3]))
    with pytest.raises(AssertionError, match=r"shape \(3,\), b has \(1,\)"):
        test_utils.assert_almost_equal(np.ones(3), np.ones(1), use_broadcast=False)


def test_assert_exception():
    test_utils.assert_exception(int, ValueError, "x")
    with pytest.raises(AssertionError, match="did not raise ValueError"):
        test_utils.assert_exception(int, ValueError, "1")


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
    monkeypatch.setattr(test_utils, "_chosen_context", None)
    assert test_utils.default_context() == opforge.cpu()
    with opforge.cpu(1):
        assert test_utils.default_context() == opforge.cpu(1)
    test_utils.set_default_context(opforge.cpu(2))
    assert test_utils.rand_ndarray((1,)).context == opforge.cpu(2)


class WrongSquare(autograd.Function):
    def forward(self, x):
        self.save_for_backward(x)
        return x * x

    def backward(self, dy):
        (x,) = self.saved_tensors
        return dy * x * 2.01


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_check_numeric_gradient_accepts_a_right_gradient(dtype):
    a, b = np.array([[1.0, 2.0]]), np.array([[3.0], [0.5]])
    test_utils.check_numeric_gradient(lambda x, y: x * y + y, [a, b], dtype=dtype)
    test_utils.check_numeric_gradient(lambda x, y: [x * 2, y * x], {"y": b, "x": nd.array(a)})


def test_check_numeric_gradient_names_the_wrong_one():
    def both(x, y):
        return WrongSquare()(x) + y

    location = {"x": np.array([1.0, 2.0]), "y": np.array([3.0, 4.0])}
    with pytest.raises(AssertionError, match="gradient of 'x' by autograd"):
        test_utils.check_numeric_gradient(both, location)
    test_utils.check_numeric_gradient(both, location, grad_nodes=["y"])
    test_utils.check_numeric_gradient(both, location, rtol=0.01)


def test_check_numeric_gradient_runs_in_the_mode_asked_for():
    modes = []

    def watch(x):
        modes.append(autograd.is_training())
        return x * 1

    for mode in (True, False):
        test_utils.check_numeric_gradient(watch, [np.ones(1)], use_forward_train=mode)
        assert set(modes) == {mode}
        modes.clear()
