import numpy as np
import pytest

from opforge import nd, test_utils


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
