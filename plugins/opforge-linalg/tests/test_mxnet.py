"""Results of MXNet 1.9.1 where a plausible implementation would differ."""

import numpy as np
import pytest

from opforge import autograd, nd
from opforge.base.errors import OpforgeError

NAN = float("nan")


def gradients(function, *arrays, heads=None):
    """Return the gradients of all outputs, with head gradients of 1 by default."""
    inputs = [nd.array(array) for array in arrays]
    for array in inputs:
        array.attach_grad()
    with autograd.record():
        outputs = function(*inputs)
    outputs = outputs if isinstance(outputs, list) else [outputs]
    autograd.backward(outputs, heads)
    return [array.grad.asnumpy() for array in inputs]


def close(actual, expected):
    actual = actual.asnumpy() if isinstance(actual, nd.NDArray) else actual
    np.testing.assert_allclose(actual, np.array(expected, "float32"), rtol=1e-5, atol=1e-6)


def test_potrf_reads_one_triangle_and_clears_the_other():
    close(nd.linalg.potrf(nd.array([[4, NAN], [1, 4.25]])), [[2, 0], [0.5, 2]])
    close(nd.linalg.potrf(nd.array([[4, 1], [NAN, 4.25]]), lower=False), [[2, 0.5], [0, 2]])


@pytest.mark.parametrize("lower", [True, False])
def test_the_gradient_of_potrf_is_symmetric(lower):
    (grad,) = gradients(lambda a: nd.linalg.potrf(a, lower=lower), [[4, 1], [1, 4.25]])
    close(grad, [[0.203125, 0.1875], [0.1875, 0.25]])


def test_the_gradient_of_potri_is_triangular():
    (grad,) = gradients(nd.linalg.potri, [[2, 9], [0.5, 2]])
    close(grad, [[-0.203125, 0], [-0.1875, -0.140625]])
    (grad,) = gradients(lambda a: nd.linalg.potri(a, lower=False), [[2, 0.5], [9, 2]])
    close(grad, [[-0.203125, -0.1875], [0, -0.140625]])


def test_a_zero_on_the_diagonal_is_an_error_of_potri_and_not_of_trsm():
    singular = nd.array([[1, 0], [1, 0]])
    with pytest.raises(OpforgeError, match=r"_linalg_potri.*'A': matrix 0 has a zero at row 1"):
        nd.linalg.potri(singular).asnumpy()
    close(nd.linalg.trsm(singular, nd.array([[1], [2]])), [[1], [np.inf]])


def test_matrices_that_are_not_positive_definite_are_an_error_and_nan_is_not():
    with pytest.raises(OpforgeError, match="'A': matrix 0 is not positive definite"):
        nd.linalg.potrf(nd.array([[1, 2], [2, 1]])).asnumpy()
    assert np.isnan(nd.linalg.potrf(nd.array([[NAN, 2], [2, 1]])).asnumpy()[0, 0])


@pytest.mark.parametrize("order", [2, 40])
def test_errors_name_the_matrix_of_the_batch(order):
    batch = np.tile(np.eye(order, dtype="float32"), (30, 1, 1))
    batch[21, 1, 1] = 0
    for operator in (nd.linalg.potrf, nd.linalg.potri, nd.linalg.inverse):
        with pytest.raises(OpforgeError, match="'A': matrix 21 "):
            operator(nd.array(batch)).asnumpy()


def test_triangular_gradients_are_zero_in_the_other_triangle():
    a, b = [[2, 9], [1, 3]], [[1, 2], [3, 4]]
    of_a, of_b = gradients(lambda a, b: nd.linalg.trsm(a, b, alpha=2), a, b)
    close(of_a, [[-1, 0], [-1, -11 / 9]])
    close(of_b, [[2 / 3, 2 / 3], [2 / 3, 2 / 3]])
    of_a, of_b = gradients(lambda a, b: nd.linalg.trmm(a, b, alpha=2, rightside=True), a, b)
    close(of_a, [[8, 0], [12, 12]])
    close(of_b, [[4, 8], [4, 8]])


def test_gemm_does_not_read_c_if_beta_is_zero():
    one = nd.ones((1, 1))
    close(nd.linalg.gemm(one, one, nd.array([[NAN]]), beta=0), [[1]])


@pytest.mark.parametrize("axis", [0, -3])
def test_axis_is_the_axis_of_rows_of_all_matrices(axis):
    a, b = nd.ones((2, 3, 4)), nd.ones((4, 3, 5))
    out = nd.linalg.gemm2(a, b, axis=axis)
    assert out.shape == (2, 3, 5)
    close(out, np.full((2, 3, 5), 4))


def test_batches_are_not_broadcast():
    with pytest.raises(OpforgeError, match=r"B has shape .1, 4, 5.; expected the batch axes of A"):
        nd.linalg.gemm2(nd.ones((2, 3, 4)), nd.ones((1, 4, 5)))
    with pytest.raises(OpforgeError, match="'C'"):
        nd.linalg.gemm(nd.ones((3, 4)), nd.ones((4, 5)), nd.ones((1, 5)))


def test_gelqf_has_the_signs_of_lapack():
    q, lower = nd.linalg.gelqf(nd.array([[1, 2, 3], [4, 5, 6]]))
    close(q, [[-0.2672611, -0.5345225, -0.8017837], [0.8728716, 0.2182179, -0.4364358]])
    close(lower, [[-3.7416575, 0], [-8.552359, 1.9639605]])
    (grad,) = gradients(nd.linalg.gelqf, [[1, 2, 3], [4, 5, 6]])
    close(grad, [[-3.2473667, -1.2795491, 0.6882683], [0.6056105, -0.3163045, -1.2382193]])


def test_a_zero_row_has_the_unit_vector_in_gelqf():
    q, lower = nd.linalg.gelqf(nd.array([[0, 0], [3, 4]]))
    close(q[0], [1, 0])
    close(lower[0], [0, 0])


def test_eigenvectors_are_rows_with_a_positive_largest_element():
    vectors, values = nd.linalg.syevd(nd.array([[1, NAN], [2, 4]]))
    close(vectors, [[0.8944272, -0.4472136], [0.4472136, 0.8944272]])
    close(values, [0, 5])


def test_gradients_of_syevd_are_symmetric_and_finite_for_equal_eigenvalues():
    (grad,) = gradients(nd.linalg.syevd, [[1, 2], [2, 4]])
    close(grad, [[0.9284458, -0.0536656], [-0.0536656, 1.0715542]])
    (grad,) = gradients(nd.linalg.syevd, np.eye(2))
    close(grad, np.eye(2))
    heads = [nd.array([[1, 2], [3, 5]]), nd.zeros((2,))]
    (grad,) = gradients(nd.linalg.syevd, np.eye(2), heads=heads)
    close(grad, np.zeros((2, 2)))


@pytest.mark.parametrize("name", ["potrf", "potri", "inverse", "det", "slogdet", "syevd", "gelqf"])
def test_batches_may_be_empty(name):
    found = getattr(nd.linalg, name)(nd.zeros((0, 2, 2)))
    shapes = {(0, 2, 2), (0, 2), (0,)}
    assert {x.shape for x in (found if isinstance(found, list) else [found])} <= shapes


def test_a_product_over_no_elements_is_zero():
    close(nd.linalg.gemm2(nd.zeros((2, 0)), nd.zeros((0, 3))), np.zeros((2, 3)))
    close(nd.linalg.syrk(nd.zeros((2, 0))), np.zeros((2, 2)))
    c = nd.ones((2, 3))
    close(nd.linalg.gemm(nd.zeros((2, 0)), nd.zeros((0, 3)), c, beta=2), np.full((2, 3), 2))


def test_determinants_of_one_matrix_have_one_axis():
    one = nd.array([[4, 1], [1, 4.25]])
    assert nd.linalg.det(one).shape == nd.linalg.sumlogdiag(one).shape == (1,)
    assert [x.shape for x in nd.linalg.slogdet(nd.ones((2, 3, 2, 2)))] == [(2, 3), (2, 3)]


def test_singular_matrices_have_no_gradient_of_determinants():
    batch = [[[1, 1], [1, 1]], [[1, 4], [2, 3]]]
    (grad,) = gradients(nd.linalg.det, batch)
    close(grad, [[[0, 0], [0, 0]], [[3, -2], [-4, 1]]])
    (grad,) = gradients(nd.linalg.slogdet, batch)
    close(grad, [[[0, 0], [0, 0]], [[-0.6, 0.4], [0.8, -0.2]]])
    sign, logarithm = nd.linalg.slogdet(nd.array(batch))
    close(sign, [0, -1])
    close(logarithm, [-np.inf, np.log(5)])


def test_singular_matrices_have_no_inverse():
    with pytest.raises(OpforgeError, match=r"_linalg_inverse.*'A': matrix 0 is singular"):
        nd.linalg.inverse(nd.ones((2, 2))).asnumpy()


def test_sumlogdiag_of_negative_and_zero_elements():
    close(nd.linalg.sumlogdiag(nd.array([[-1, 2], [4, 5]])), [NAN])
    close(nd.linalg.sumlogdiag(nd.array([[0, 2], [4, 5]])), [-np.inf])
    (grad,) = gradients(nd.linalg.sumlogdiag, [[-1, 2], [4, 5]])
    close(grad, [[-1, 0], [0, 0.2]])


def test_upper_triangles_are_stored_by_columns():
    matrix = nd.arange(9).reshape((3, 3))
    close(nd.linalg.extracttrian(matrix), [0, 3, 4, 6, 7, 8])
    close(nd.linalg.extracttrian(matrix, lower=False), [0, 1, 4, 2, 5, 8])
    close(nd.linalg.extracttrian(matrix, offset=1, lower=True), [1, 2, 5])
    close(nd.linalg.maketrian(nd.arange(6), lower=False), [[0, 1, 3], [0, 2, 4], [0, 0, 5]])
    made = nd.linalg.maketrian(nd.array([1, 2, 3]), offset=-1)
    close(made, [[0, 0, 0], [1, 0, 0], [2, 3, 0]])


def test_diagonals_have_an_offset():
    close(nd.linalg.makediag(nd.array([1, 2]), offset=-1), [[0, 0, 0], [1, 0, 0], [0, 2, 0]])
    close(nd.linalg.extractdiag(nd.array([[1, 2], [3, 4]]), 1), [2])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: nd.linalg.extractdiag(nd.ones((2, 2)), offset=2), "more than 2 rows"),
        (lambda: nd.linalg.extractdiag(nd.ones((2, 3))), "square matrices"),
        (lambda: nd.linalg.maketrian(nd.ones((4,))), r"n \* \(n \+ 1\) / 2 elements"),
        (lambda: nd.linalg.gelqf(nd.ones((3, 2))), "at most as many rows as columns"),
        (lambda: nd.linalg.potrf(nd.ones((3,))), "at least two axes"),
        (lambda: nd.linalg.gemm2(nd.ones((2, 2)), nd.ones((2, 2)), axis=1), "got axis=1"),
        (lambda: nd.linalg.potrf(nd.ones((2, 2), dtype="float16")), "float32 or float64"),
        (lambda: nd.linalg.gemm2(*[nd.ones((2, 2), dtype="int32")] * 2), "float32 or float64"),
    ],
)
def test_invalid_inputs_are_rejected(call, text):
    with pytest.raises(OpforgeError, match=text):
        call()
