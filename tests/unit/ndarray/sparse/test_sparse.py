from opforge import nd


def test_operators_are_found_by_their_short_and_their_own_names():
    assert nd.sparse.retain is nd._sparse_retain and nd.sparse.dot is nd.dot
    assert nd.sparse.CSRNDArray is nd.sparse.csr.CSRNDArray
