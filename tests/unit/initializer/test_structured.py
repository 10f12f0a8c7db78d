import numpy as np
import pytest

from opforge import init, nd


def filled(initializer, shape):
    array = nd.zeros(shape)
    initializer._init_weight("w", array)
    return array.asnumpy()


@pytest.mark.parametrize("kind", ["uniform", "normal"])
@pytest.mark.parametrize("shape", [(4, 6), (6, 4), (3, 2, 2)])
def test_orthogonal(kind, shape):
    matrix = filled(init.Orthogonal(scale=2.0, rand_type=kind), shape).reshape(shape[0], -1)
    small = matrix @ matrix.T if matrix.shape[0] <= matrix.shape[1] else matrix.T @ matrix
    np.testing.assert_allclose(small, 4 * np.eye(len(small)), atol=1e-5)


def test_orthogonal_of_an_unknown_kind():
    with pytest.raises(ValueError, match="Unknown rand_type 'x'"):
        filled(init.Orthogonal(rand_type="x"), (2, 2))


def test_bilinear_is_a_tent():
    tent = np.array([0.25, 0.75, 0.75, 0.25])
    for kernel in filled(init.Bilinear(), (2, 3, 4, 4)).reshape(-1, 4, 4):
        np.testing.assert_allclose(kernel, tent[:, None] * tent)


def test_lstm_bias():
    assert filled(init.LSTMBias(2.0), (8,)).tolist() == [0, 0, 2, 2, 0, 0, 0, 0]
