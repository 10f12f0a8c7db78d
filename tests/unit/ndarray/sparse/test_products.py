"""`dot` with csr matrices; storage types equal those of MXNet 1.9.1."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import opforge as mx
from opforge import autograd, nd

sizes = st.integers(0, 6)


def random_matrix(rows, columns, seed):
    values = np.random.default_rng(seed).normal(size=(rows, columns)).astype(np.float32)
    return values * (np.abs(values) > 0.7)


@given(sizes, sizes, sizes, st.booleans(), st.booleans(), st.integers(0, 9))
def test_products_agree_with_dense_ones(rows, inner, columns, flip_a, flip_b, seed):
    a = random_matrix(*((inner, rows) if flip_a else (rows, inner)), seed)
    b = random_matrix(*((columns, inner) if flip_b else (inner, columns)), seed + 1)
    expected = (a.T if flip_a else a) @ (b.T if flip_b else b)
    for left, right in [("csr", "default"), ("default", "csr"), ("csr", "row_sparse")]:
        result = nd.dot(nd.array(a).tostype(left), nd.array(b).tostype(right), flip_a, flip_b)
        np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("left", "right", "flips", "stype"),
    [
        ("csr", "default", (False, False), "default"),
        ("csr", "default", (True, False), "row_sparse"),
        ("csr", "default", (True, True), "default"),
        ("csr", "row_sparse", (True, False), "row_sparse"),
        ("csr", "csr", (False, False), "default"),
        ("default", "csr", (False, False), "csr"),
        ("default", "csr", (False, True), "csr"),
        ("default", "csr", (True, False), "default"),
        ("row_sparse", "default", (False, False), "default"),
    ],
)
def test_storage_types(left, right, flips, stype):
    a, b = (nd.array(random_matrix(4, 4, seed)) for seed in (1, 2))
    assert nd.dot(a.tostype(left), b.tostype(right), *flips).stype == stype
    forced = nd.dot(a.tostype(left), b.tostype(right), *flips, forward_stype="default")
    assert forced.stype == "default"


def test_the_row_sparse_product_has_the_rows_that_the_matrix_has_columns():
    a = nd.sparse.csr_matrix(([1, 2], [3, 0], [0, 1, 2]), shape=(2, 5))
    product = nd.dot(a, nd.ones((2, 3)), transpose_a=True)
    product.check_format()
    assert product.indices.asnumpy().tolist() == [0, 3]


@pytest.mark.parametrize("is_flipped", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradient_of_the_dense_factor(is_flipped, dtype):
    a = random_matrix(3, 5, 0)
    x = nd.array(random_matrix(3 if is_flipped else 5, 2, 1), dtype=dtype)
    x.attach_grad()
    matrix = nd.array(a, dtype=dtype).tostype("csr")
    with autograd.record():
        y = nd.dot(matrix, x, transpose_a=is_flipped) * 2
    y.backward(nd.ones(y.shape, dtype=dtype) * 3)
    a = a.T if is_flipped else a
    np.testing.assert_allclose(x.grad.asnumpy(), a.T @ np.full(y.shape, 6.0), rtol=1e-5)


def test_vectors_and_types_without_a_kernel():
    a = nd.sparse.csr_matrix(([1, 2], [1, 0], [0, 1, 2]), shape=(2, 3))
    assert nd.dot(a, nd.array([5, 6, 7])).asnumpy().tolist() == [6, 10]
    whole = nd.dot(a.astype("int32"), nd.ones((3, 1), dtype="int32"))
    assert whole.asnumpy().tolist() == [[1], [2]]


def test_mismatched_operands_are_named():
    a = nd.zeros((2, 3), stype="csr")
    with pytest.raises(ValueError, match="axes of 3 and 2 elements"):
        nd.dot(a, nd.ones((2, 2)))
    with pytest.raises(mx.MXNetError, match="float32 and float64"):
        nd.dot(a, nd.ones((3, 2), dtype="float64"))


@pytest.mark.parametrize("rows", [[0, 1, 2, 3, 4], [1, 4], [4], [], [3, 1]])
@pytest.mark.parametrize("is_flipped", [False, True])
def test_tables_with_some_rows(rows, is_flipped):
    a = random_matrix(5, 3, 0) if is_flipped else random_matrix(3, 5, 0)
    values = np.arange(2.0 * len(rows)).reshape(-1, 2) + 1
    matrix = nd.array(a, dtype="float64").tostype("csr")
    table = nd.sparse.row_sparse_array((values, rows), shape=(5, 2), dtype="float64")
    expected = (a.T if is_flipped else a) @ table.asnumpy()
    found = nd.dot(matrix, table, transpose_a=is_flipped)
    assert found.stype == ("row_sparse" if is_flipped else "default")
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-5)
    table.attach_grad()
    with autograd.record():
        y = nd.dot(matrix, table, transpose_a=is_flipped)
    y.backward()
    np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-5)
    wanted = (a if is_flipped else a.T) @ np.ones_like(expected)
    np.testing.assert_allclose(table.grad.asnumpy(), wanted, rtol=1e-5)


def test_rows_that_are_not_stored_take_no_part():
    table = nd.sparse.row_sparse_array(([[np.inf]], [0]), shape=(3, 1))
    matrix = nd.array([[0, np.inf, 2]]).tostype("csr")
    assert nd.dot(matrix, table).asnumpy().tolist() == [[0]]
    broken = nd.sparse.csr_matrix(([1.0], [7], [0, 1]), shape=(1, 3))
    with pytest.raises(mx.MXNetError, match="index 7 is out of range"):
        nd.dot(broken, table)
