import numpy as np
import pytest

from opforge import test_utils


def test_assign_each():
    a = np.arange(6.0).reshape(2, 3)
    assert test_utils.assign_each(a, lambda x: 2 * x).tolist() == (2 * a).tolist()
    assert test_utils.assign_each2(a, a, lambda x, y: x * y).tolist() == (a * a).tolist()
    copy = test_utils.assign_each(a, None)
    copy[:] = -1
    assert a[0, 0] == 0
    assert test_utils.assign_each2(a, a, None).tolist() == a.tolist()
    with pytest.raises(AssertionError, match="differ"):
        test_utils.assign_each2(a, a[0], max)


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2), [1]])
@pytest.mark.parametrize("keepdims", [False, True])
def test_np_reduce(axis, keepdims):
    a = np.random.rand(2, 3, 4)
    axes = tuple(axis) if isinstance(axis, list) else axis
    expected = a.sum(axis=axes, keepdims=keepdims)
    found = test_utils.np_reduce(a, axis, keepdims, np.sum)
    assert np.allclose(found, expected)
    assert np.shape(found) == expected.shape


@pytest.mark.parametrize("shape", [(4,), (1,), (3, 1), (2, 3, 4), (1, 3, 1), ()])
def test_collapse_sum_like_undoes_broadcasting(shape):
    a = np.random.rand(2, 3, 4)
    found = test_utils.collapse_sum_like(a, shape)
    assert found.shape == shape
    assert np.isclose(found.sum(), a.sum())


def test_collapse_of_nothing():
    assert test_utils.collapse_sum_like(np.zeros((0, 3)), (3,)).tolist() == [0, 0, 0]
    with pytest.raises(AssertionError, match="does not broadcast"):
        test_utils.collapse_sum_like(np.ones((2, 3)), (2,))
