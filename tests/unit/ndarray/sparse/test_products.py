import numpy as np

from opforge import nd


def test_a_product_with_a_sparse_array(make_sparse, values):
    sparse = make_sparse()
    other = np.arange(6, dtype=np.float32).reshape(3, 2)
    np.testing.assert_allclose(nd.dot(sparse, nd.array(other)).asnumpy(), values @ other)
