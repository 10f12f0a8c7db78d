import copy
import pickle

import numpy as np
import pytest

import opforge as mx
from opforge import nd
from opforge.base.errors import NotSupportedForSparseNDArray


def test_sparse_array_properties(make_sparse, values, stype):
    sparse = make_sparse()
    assert (sparse.shape, sparse.ndim, sparse.size, len(sparse)) == ((4, 3), 2, 12, 4)
    assert (sparse.dtype, sparse.stype, sparse.context) == (np.float32, stype, mx.cpu())
    name = {"csr": "CSRNDArray", "row_sparse": "RowSparseNDArray"}[stype]
    assert repr(sparse) == f"\n<{name} 4x3 @cpu(0)>"
    assert isinstance(sparse, nd.NDArray) and sparse.writable and sparse.grad is None
    assert sparse.indices.dtype == np.int64
    np.testing.assert_array_equal(np.asarray(sparse), values)


@pytest.mark.parametrize(
    "duplicate",
    [
        nd.NDArray.copy,
        copy.copy,
        copy.deepcopy,
        lambda x: pickle.loads(pickle.dumps(x)),
        lambda x: x.copyto(mx.cpu(1)),
        nd.array,
        nd.sparse.array,
    ],
)
def test_copies_are_their_own(make_sparse, values, stype, duplicate):
    sparse = make_sparse()
    duplicate = type(sparse).copy if duplicate is nd.NDArray.copy else duplicate
    twin = duplicate(sparse)
    assert twin.stype == stype
    twin[:] = 0
    np.testing.assert_array_equal(twin.asnumpy(), 0)
    np.testing.assert_array_equal(sparse.asnumpy(), values)


def test_copies_between_storage_types(make_sparse, values, stype):
    sparse = make_sparse()
    dense = nd.zeros((4, 3))
    assert sparse.copyto(dense) is dense
    target = nd.zeros((4, 3), stype=stype, dtype="float64")
    dense.copyto(target)
    assert target.dtype == np.float64
    for found in (dense, target, sparse.copyto(target), sparse.tostype("default")):
        np.testing.assert_array_equal(found.asnumpy(), values)
    other = {"csr": "row_sparse", "row_sparse": "csr"}[stype]
    with pytest.raises(ValueError, match=f"from {stype} to {other} is not supported"):
        sparse.tostype(other)
    with pytest.raises(TypeError, match=f"copyto does not support an array of stype {other}"):
        sparse.copyto(nd.zeros((4, 3), stype=other))
    with pytest.raises(ValueError, match="shape"):
        sparse.copyto(nd.zeros((3, 4), stype=stype))


def test_types_and_devices(make_sparse, stype):
    sparse = make_sparse()
    assert sparse.astype("float32", copy=False) is sparse
    whole = sparse.astype("int32")
    assert (whole.stype, whole.dtype, whole.data.dtype) == (stype, np.int32, np.int32)
    assert sparse.as_in_context(mx.cpu()) is sparse
    assert sparse.as_in_context(mx.cpu(1)).context == mx.cpu(1)


@pytest.mark.parametrize("value", [2, np.ones((4, 3)), "dense", "sparse", [[1, 0, 0]] * 4])
def test_all_elements_may_be_written(make_sparse, values, stype, value):
    sparse = make_sparse()
    if isinstance(value, str):
        value = nd.array(values * 2) if value == "dense" else nd.array(values * 2).tostype(stype)
    sparse[:] = value
    expected = value.asnumpy() if isinstance(value, nd.NDArray) else np.broadcast_to(value, (4, 3))
    np.testing.assert_array_equal(sparse.asnumpy(), expected)
    with pytest.raises(ValueError, match="only assignment"):
        sparse[0] = 1
    with pytest.raises(TypeError, match="cannot be assigned"):
        sparse[:] = "text"


def test_dense_only_methods_are_rejected(make_sparse):
    sparse = make_sparse()
    with pytest.raises(NotSupportedForSparseNDArray):
        bool(sparse)
