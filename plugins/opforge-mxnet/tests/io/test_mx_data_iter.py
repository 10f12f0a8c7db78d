import pytest

import opforge as mx


def test_iterators_over_files_are_instances(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("1,2\n3,4\n")
    rows = mx.io.CSVIter(data_csv=str(path), data_shape=(2,), batch_size=1)
    assert isinstance(rows, mx.io.MXDataIter)
    assert issubclass(mx.io.LibSVMIter, mx.io.MXDataIter)
    assert mx.io.io.MXDataIter is mx.io.MXDataIter


def test_others_are_not():
    arrays = mx.io.NDArrayIter(mx.nd.ones((2, 2)))
    for other in (arrays, mx.io.ResizeIter(arrays, 1), 3):
        assert not isinstance(other, mx.io.MXDataIter)
    assert not issubclass(mx.io.NDArrayIter, mx.io.MXDataIter)
    assert not issubclass(int, mx.io.MXDataIter)


def test_iterators_are_created_by_their_own_names():
    with pytest.raises(TypeError, match="by its own name"):
        mx.io.MXDataIter(None, data_name="data")
