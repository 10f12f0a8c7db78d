"""Arrow's columns, tables and tensors, from arrays and to arrays."""

import numpy as np
import pytest

from opforge import nd

pa = pytest.importorskip("pyarrow", reason="a peer: pip install pyarrow")


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "uint8", "bool"])
def test_a_column_is_a_copy_of_a_vector(dtype):
    x = nd.array([1, 0, 1], dtype=dtype)
    column = pa.array(x)
    assert str(column.type).replace("halffloat", "float16") in (dtype, "float", "double")
    x[:] = 0
    assert column.to_pylist() == [1, 0, 1]
    assert pa.array(nd.ones(2), type=pa.float64()).type == pa.float64()


def test_arrays_are_made_of_columns_and_tables():
    table = pa.table({"a": [1.0, 2.0], "b": nd.array([3, 4])})
    assert nd.array(table).tolist() == [[1, 3], [2, 4]]
    assert nd.array(table["b"]).tolist() == [3, 4]
    missing = nd.array(pa.array([1, None])).asnumpy()
    assert missing[0] == 1 and np.isnan(missing[1])
    assert nd.from_dlpack(pa.array([1, 2, 3])).tolist() == [1, 2, 3]
    with pytest.raises(TypeError, match="must hold numbers"):
        nd.array(pa.array(["a"]))


@pytest.mark.parametrize("shape", [(3, 2), (2, 3, 4)])
def test_rows_of_larger_arrays_are_tensors(shape):
    values = np.arange(np.prod(shape), dtype="float32").reshape(shape)
    rows = pa.array(nd.array(values))
    assert len(rows) == shape[0]
    np.testing.assert_array_equal(rows.to_numpy_ndarray(), values)
    np.testing.assert_array_equal(nd.array(rows).asnumpy(), values)
    np.testing.assert_array_equal(nd.array(pa.Tensor.from_numpy(values)).asnumpy(), values)
    lists = pa.array(nd.array(values), type=pa.list_(pa.float32()))
    assert lists.to_pylist() == values.reshape(shape[0], -1).tolist()


def test_memory_is_shared_where_it_is_asked_for():
    x = nd.zeros(3)
    shared = np.frombuffer(pa.py_buffer(x), np.float32)
    x[1] = 5
    assert shared.tolist() == [0, 5, 0]
