import numpy as np
import pytest

from opforge import nd, test_utils


def test_same_and_same_array():
    a = nd.array([[1, 2], [3, 4]])
    assert test_utils.same(a, a.asnumpy())
    assert not test_utils.same(a, a.reshape((4,)))
    assert test_utils.same_array(a, a[0:1])
    assert not test_utils.same_array(a, a.copy())


def test_almost_equal_uses_the_tolerances_of_float64():
    one = np.ones(3, np.float32)
    assert test_utils.almost_equal(one, nd.array(one * 1.000005))
    assert not test_utils.almost_equal(one, nd.array(one * 1.0005))
    assert not test_utils.almost_equal(np.array([1]), np.array([2]))
    assert test_utils.almost_equal(one, one * 1.1, rtol=0.2)
    assert test_utils.almost_equal(one, 1)
    with pytest.raises(AssertionError, match=r"shape \(3,\), b has \(\)"):
        test_utils.almost_equal(one, 1, use_broadcast=False)
    nan = np.array([np.nan])
    assert not test_utils.almost_equal(nan, nan)
    assert test_utils.almost_equal(nan, nan, equal_nan=True)


def test_assert_almost_equal_uses_the_coarser_types_tolerance():
    one = np.ones(3, np.float32)
    test_utils.assert_almost_equal(one, nd.array(one * 1.0005))
    with pytest.raises(AssertionError):
        test_utils.assert_almost_equal(one.astype(np.float64), one.astype(np.float64) * 1.0005)
    half = {np.dtype("float64"): 0.5}
    test_utils.assert_almost_equal(np.ones(3), np.full(3, 1.4), rtol=half)
    with pytest.raises(AssertionError):
        test_utils.assert_allclose(np.ones(3), np.full(3, 1.00001))
    test_utils.assert_allclose(np.array([np.nan]), np.array([np.nan]))


def test_a_share_of_the_elements_may_differ():
    a, b = np.zeros(10), np.zeros(10)
    b[3] = 1
    test_utils.assert_almost_equal_with_err(a, b, etol=0.1)
    with pytest.raises(AssertionError, match="1 of 10"):
        test_utils.assert_almost_equal_with_err(a, b, etol=0.05)
    with pytest.raises(AssertionError):
        test_utils.assert_almost_equal_with_err(a, b)


def test_nan_may_be_ignored():
    a, b = np.array([1.0, np.nan, 3.0]), np.array([1.0, 2.0, np.nan])
    test_utils.assert_almost_equal_ignore_nan(a, nd.array(b))
    with pytest.raises(AssertionError):
        test_utils.assert_almost_equal_ignore_nan(a, b + 1)


def test_nested_tuples_and_error_locations():
    ones, twos = nd.ones((2,)), nd.ones((2,)) * 2
    test_utils.compare_ndarray_tuple((ones, (twos, None)), (ones, (twos, ones)))
    test_utils.compare_ndarray_tuple(None, ones)
    with pytest.raises(AssertionError):
        test_utils.compare_ndarray_tuple((ones, (twos,)), (ones, (ones,)))
    line = test_utils.locationError(np.ones(2), np.zeros(2), (1,), ("p", "q"), maxError=True)
    assert line == "Location of maximum error: (1,), p=1.00000000, q=0.00000000"
    with pytest.raises(AssertionError, match="a has shape"):
        test_utils.checkShapes(ones, nd.ones((3,)))


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
