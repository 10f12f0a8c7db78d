"""Results of all algorithms, which depend on the size and the number of the matrices."""

import numpy as np
import pytest

from opforge import nd

TOLERANCE = {"float32": 2e-5, "float64": 1e-12}
SHAPES = [
    (1, 1),
    (1, 5),
    (3, 5),
    (37, 16),
    (5, 31),
    (20, 32),
    (20, 33),
    (2, 70),
    (1, 200),
    (1, 400),
]


def transposed(x):
    return np.swapaxes(x, -1, -2)


@pytest.fixture(params=SHAPES, ids=str)
def shape(request):
    count, order = request.param
    return count, order, order


@pytest.fixture(params=TOLERANCE)
def close(request):
    """Return a function that compares results of one type; `dtype` is the type's name."""

    def compare(array, expected):
        scale = max(np.abs(expected).max(), 1)
        found = array.asnumpy()
        assert found.dtype == request.param
        assert np.abs(found - expected).max() <= TOLERANCE[request.param] * scale

    compare.dtype = request.param
    return compare


def general(shape, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(shape) / np.sqrt(shape[-1]) + np.eye(shape[-1]) * 2


def definite(shape):
    x = general(shape)
    return x @ transposed(x)


@pytest.mark.parametrize("lower", [True, False])
def test_cholesky_factors(shape, close, lower):
    matrices = definite(shape)
    factors = np.linalg.cholesky(matrices)
    expected = factors if lower else transposed(factors)
    other = ~np.tri(shape[-1], dtype=bool)
    dirty = np.where(other if lower else other.T, np.nan, matrices)
    close(nd.linalg.potrf(nd.array(dirty, dtype=close.dtype), lower=lower), expected)
    dirty = np.where(other if lower else other.T, np.nan, expected)
    found = nd.linalg.potri(nd.array(dirty, dtype=close.dtype), lower=lower)
    close(found, np.linalg.inv(matrices))


@pytest.mark.parametrize("columns", [1, 33, 300])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("rightside", [True, False])
@pytest.mark.parametrize("transpose", [True, False])
def test_triangles(shape, close, columns, lower, rightside, transpose):
    count, order, _ = shape
    if order > 100 and columns > 100 and close.dtype == "float32":
        columns = 260
    a = general(shape)
    triangle = np.tril(a) if lower else np.triu(a)
    dirty = np.where(triangle == 0, np.nan, a)
    b = np.random.default_rng(1).standard_normal(
        (count, columns, order) if rightside else (count, order, columns)
    )
    used = transposed(triangle) if transpose else triangle
    product = 0.5 * (b @ used if rightside else used @ b)
    settings = {"transpose": transpose, "rightside": rightside, "lower": lower}
    arrays = [nd.array(x, dtype=close.dtype) for x in (dirty, b, product)]
    close(nd.linalg.trmm(arrays[0], arrays[1], alpha=0.5, **settings), product)
    close(nd.linalg.trsm(arrays[0], arrays[2], alpha=2, **settings), b)


def test_inverses_and_determinants(shape, close):
    matrices = general(shape)[:, np.random.default_rng(2).permutation(shape[-1])]
    array = nd.array(matrices, dtype=close.dtype)
    close(nd.linalg.inverse(array), np.linalg.inv(matrices))
    close(nd._transposed_inverse(array), transposed(np.linalg.inv(matrices)))
    sign, logarithm = nd.linalg.slogdet(array)
    expected = np.linalg.slogdet(matrices)
    close(sign, expected[0])
    close(logarithm, expected[1])
    halved = nd.array(matrices / 2, dtype=close.dtype)
    close(nd.linalg.det(halved), np.linalg.det(matrices / 2))


def test_orthogonal_factors(shape, close):
    matrices = general(shape)
    q, lower = nd.linalg.gelqf(nd.array(matrices, dtype=close.dtype))
    close(q, np.linalg.solve(lower.asnumpy().astype("float64"), matrices))
    close(nd.linalg.gemm2(q, q, transpose_b=True), np.broadcast_to(np.eye(shape[-1]), shape))
    symmetric = matrices + transposed(matrices)
    vectors, values = nd.linalg.syevd(nd.array(symmetric, dtype=close.dtype))
    close(values, np.linalg.eigvalsh(symmetric))
    rows = vectors.asnumpy().astype("float64")
    close(
        nd.array(transposed(rows) @ (rows * values.asnumpy()[..., None]), dtype=close.dtype),
        symmetric,
    )


def test_symmetric_products_are_exactly_symmetric(close):
    a = nd.array(np.random.default_rng(3).standard_normal((3, 130, 70)), dtype=close.dtype)
    for transpose in (False, True):
        found = nd.linalg.syrk(a, transpose=transpose).asnumpy()
        np.testing.assert_array_equal(found, transposed(found))
