import numpy as np
import pytest

from opforge import test_utils


def test_large_arrays_small():
    assert test_utils.create_2d_tensor(3, 2).asnumpy().tolist() == [[0, 0], [1, 1], [2, 2]]
    assert test_utils.create_2d_tensor(3, 2).dtype == np.int64
    assert test_utils.create_vector(3, "int32").asnumpy().tolist() == [0, 1, 2]
    assert test_utils.get_identity_mat(2).asnumpy().tolist() == [[1, 0], [0, 1]]
    assert test_utils.get_identity_mat_batch(3).shape == (2, 3, 3)


@pytest.mark.parametrize("make", ["new_matrix_with", "new_sym_matrix_with"])
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (2, 3, 5, 5), (0, 2, 2)])
def test_eigenvalues_are_real_and_small(make, shape):
    matrices = getattr(test_utils, f"{make}_real_eigvals_nd")(shape)
    assert matrices.shape == shape
    for matrix in matrices.reshape(-1, *shape[-2:]):
        values = np.linalg.eigvals(matrix)
        assert np.abs(np.imag(values)).max() < 1e-8
        assert np.abs(values).max() <= 10 + 1e-8
        if "sym" in make:
            assert np.allclose(matrix, matrix.T)


def test_orthonormal():
    q = test_utils.new_orthonormal_matrix_2d(5)
    assert np.allclose(q @ q.T, np.eye(5))
