"""Division of products among threads and selection of the routine, against float64 NumPy."""

import numpy as np
import pytest

from opforge import nd
from opforge.native import calls
from opforge.native.threads import parallel


@pytest.fixture(params=[1, 2, 5])
def threads(request):
    before = parallel.set_num_threads(request.param)
    yield request.param
    parallel.set_num_threads(before)


def check(m, n, k, ta, tb, dtype="float32"):
    """Compare a product with bias, written and added."""
    rng = np.random.default_rng(m * n + k)
    a = rng.normal(size=(k, m) if ta else (m, k)).astype(dtype)
    b = rng.normal(size=(n, k) if tb else (k, n)).astype(dtype)
    bias, old = rng.normal(size=n).astype(dtype), rng.normal(size=(m, n)).astype(dtype)
    product = (a.T if ta else a).astype(np.float64) @ (b.T if tb else b).astype(np.float64)
    precision = 1e-13 if dtype == "float64" else 2e-6
    for req, start in (("write", 0), ("add", old)):
        for added in (None, bias):
            out = nd.array(old, dtype=dtype)
            with_bias = None if added is None else nd.array(added, dtype=dtype)
            operands = nd.array(a, dtype=dtype), nd.array(b, dtype=dtype), out
            calls.gemm(*operands, ta, tb, bias=with_bias, req=req)
            want = start + product + (0 if added is None else added)
            np.testing.assert_allclose(
                out.asnumpy(), want, rtol=10 * precision, atol=precision * (k + 10)
            )


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 7, 12, 13, 16, 17, 48, 49, 131])
@pytest.mark.parametrize(("n", "k"), [(1, 1), (3, 8), (9, 33), (130, 64), (29, 2077), (700, 1601)])
def test_products_of_rows(m, n, k):
    check(m, n, k, False, True)


@pytest.mark.parametrize("tb", [False, True])
@pytest.mark.parametrize("m", [1, 5, 6, 7, 12, 13, 32, 65])
@pytest.mark.parametrize("n", [1, 4, 5, 15, 16, 17, 32, 33, 48, 63, 64, 65, 300])
@pytest.mark.parametrize("k", [1, 3, 127, 129, 300])
def test_panels(m, n, k, tb):
    check(m, n, k, False, tb)


@pytest.mark.parametrize("tb", [False, True])
@pytest.mark.parametrize(("m", "n", "k"), [(1024, 20, 130), (1025, 70, 30), (2500, 33, 257)])
def test_blocks_of_rows(m, n, k, tb):
    check(m, n, k, False, tb)


@pytest.mark.parametrize(("m", "k"), [(14, 3), (14, 300), (2, 2100), (4, 2100)])
@pytest.mark.parametrize("tb", [False, True])
def test_a_nan_reaches_one_row_or_one_column(m, k, tb):
    a, b = np.ones((m, k), "float32"), np.ones((77, k), "float32")
    a[1, k - 1], b[70, 0] = np.nan, np.inf
    got = nd.dot(nd.array(a), nd.array(b if tb else b.T), transpose_b=tb).asnumpy()
    want = np.full((m, 77), k, "float32")
    want[1], want[:, 70], want[1, 70] = np.nan, np.inf, np.nan
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("tb", [False, True])
def test_one_row_times_a_large_matrix(tb):
    check(1, 1700, 1300, False, tb)


@pytest.mark.parametrize("tb", [False, True])
@pytest.mark.parametrize(
    ("m", "n", "k"),
    [
        (40, 700, 500),
        (160, 50, 3072),
        (160, 33, 3072),
        (1500, 40, 300),
    ],
)
def test_results_do_not_depend_on_threads(m, n, k, tb):
    compare_threads(m, n, k, tb)


def compare_threads(m, n, k, tb):
    rng = np.random.default_rng(0)
    a = nd.array(rng.normal(size=(m, k)))
    b = nd.array(rng.normal(size=(n, k) if tb else (k, n)))
    found = []
    before = parallel.get_num_threads()
    for count in (1, 2, 7):
        parallel.set_num_threads(count)
        found.append(nd.dot(a, b, transpose_b=tb).asnumpy())
    parallel.set_num_threads(before)
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


@pytest.mark.parametrize(("m", "n"), [(3, 600), (4, 600), (4, 602)])
def test_results_of_few_long_rows_do_not_depend_on_threads(m, n):
    compare_threads(m, n, 3072, True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("ta", [False, True])
@pytest.mark.parametrize("tb", [False, True])
@pytest.mark.parametrize(("m", "n", "k"), [(64, 129, 300), (1000, 20, 100), (17, 1600, 90)])
def test_parts_cover_the_result(m, n, k, ta, tb, dtype, threads):
    check(m, n, k, ta, tb, dtype)


def test_batches(threads):
    rng = np.random.default_rng(0)
    for count in (1, 7, 40):
        a, b = rng.normal(size=(count, 30, 50)), rng.normal(size=(count, 50, 20))
        out = nd.zeros((count, 30, 20))
        calls.batch_dot(nd.array(a), nd.array(b), out)
        np.testing.assert_allclose(out.asnumpy(), a @ b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("ta", "tb"), [(False, False), (False, True), (True, False), (True, True)])
def test_a_product_of_two_long_vectors_is_accurate(ta, tb):
    rng = np.random.default_rng(0)
    a, b = (rng.uniform(0.5, 1.5, 2**17).astype("float32") for _ in range(2))
    out = nd.zeros((1, 1))
    left = nd.array(a.reshape((-1, 1) if ta else (1, -1)))
    right = nd.array(b.reshape((1, -1) if tb else (-1, 1)))
    calls.gemm(left, right, out, ta, tb)
    want = a.astype("float64") @ b.astype("float64")
    np.testing.assert_allclose(out.asscalar(), want, rtol=2e-5)
