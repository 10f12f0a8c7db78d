"""Products of bfloat16, by kernels or in float32, against float64 NumPy."""

import numpy as np
import pytest

from opforge import nd
from opforge.native import calls
from opforge.native.threads import parallel


def as_bfloat16(values):
    """Return an array of bfloat16, and its elements in float64."""
    array = nd.array(values).astype("bfloat16")
    return array, array.astype("float32").asnumpy().astype("float64")


def values_of(array):
    return array.astype("float32").asnumpy()


def check(m, n, k, ta, tb):
    """Compare a product with and without a bias, written and added."""
    rng = np.random.default_rng(m * n + k)
    a, left = as_bfloat16(rng.normal(size=(k, m) if ta else (m, k)))
    b, right = as_bfloat16(rng.normal(size=(n, k) if tb else (k, n)))
    bias, offset = as_bfloat16(rng.normal(size=n))
    old, start = as_bfloat16(rng.normal(size=(m, n)))
    product = (left.T if ta else left) @ (right.T if tb else right)
    for req, before in (("write", 0), ("add", start)):
        for added, shift in ((None, 0), (bias, offset)):
            out = old.copy()
            calls.gemm(a, b, out, ta, tb, bias=added, req=req)
            want = product + before + shift
            # Results have 8 bits; those computed in float32 are rounded before they are added.
            limit = 2**-8 * (abs(product + shift) + abs(want)) + 1e-5
            assert np.all(abs(values_of(out) - want) <= limit)


@pytest.mark.parametrize(("ta", "tb"), [(False, False), (False, True), (True, False), (True, True)])
@pytest.mark.parametrize("k", [2, 5, 30, 34, 258])
@pytest.mark.parametrize("n", [1, 3, 4, 5, 63, 64, 81])
@pytest.mark.parametrize("m", [1, 2, 7, 13, 25])
def test_products(m, n, k, ta, tb):
    check(m, n, k, ta, tb)


@pytest.mark.parametrize("tb", [False, True])
@pytest.mark.parametrize(("m", "n", "k"), [(257, 66, 600), (530, 20, 40), (3, 130, 2050)])
def test_blocks_of_rows(m, n, k, tb):
    check(m, n, k, False, tb)


@pytest.mark.parametrize("tb", [False, True])
def test_sums_are_rounded_once(tb):
    ones = nd.ones((3, 1000), dtype="bfloat16")
    result = nd.dot(ones, ones if tb else ones.T, transpose_b=tb)
    assert values_of(result).tolist() == [[1000.0] * 3] * 3


@pytest.mark.parametrize(("m", "k"), [(3, 64), (20, 64), (20, 66)])
@pytest.mark.parametrize("tb", [False, True])
def test_a_nan_reaches_one_row_or_one_column(m, k, tb):
    a, b = np.ones((m, k), "float32"), np.ones((77, k), "float32")
    a[1, k - 1], b[70, 0] = np.nan, np.inf
    got = nd.dot(as_bfloat16(a)[0], as_bfloat16(b if tb else b.T)[0], transpose_b=tb)
    want = np.full((m, 77), k, "float32")
    want[1], want[:, 70], want[1, 70] = np.nan, np.inf, np.nan
    np.testing.assert_array_equal(values_of(got), want)


@pytest.mark.parametrize("tb", [False, True])
@pytest.mark.parametrize(("m", "n", "k"), [(40, 700, 500), (300, 130, 520), (1500, 40, 300)])
def test_results_do_not_depend_on_threads(m, n, k, tb):
    rng = np.random.default_rng(0)
    a, _ = as_bfloat16(rng.normal(size=(m, k)))
    b, _ = as_bfloat16(rng.normal(size=(n, k) if tb else (k, n)))
    found = []
    before = parallel.get_num_threads()
    for count in (1, 2, 7):
        parallel.set_num_threads(count)
        found.append(values_of(nd.dot(a, b, transpose_b=tb)))
    parallel.set_num_threads(before)
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


@pytest.mark.parametrize("ta", [False, True])
def test_batches(ta):
    rng = np.random.default_rng(0)
    for count in (1, 7, 40):
        a, left = as_bfloat16(rng.normal(size=(count, 50, 30) if ta else (count, 30, 50)))
        b, right = as_bfloat16(rng.normal(size=(count, 50, 20)))
        out = nd.zeros((count, 30, 20), dtype="bfloat16")
        calls.batch_dot(a, b, out, ta)
        want = (left.swapaxes(1, 2) if ta else left) @ right
        np.testing.assert_allclose(values_of(out), want, rtol=2**-7, atol=2**-8)


def test_output_may_be_an_input():
    x, values = as_bfloat16(np.random.default_rng(0).normal(size=(8, 8)))
    calls.gemm(x, x, x)
    np.testing.assert_allclose(values_of(x), values @ values, rtol=2**-7, atol=2**-8)
