import numpy as np
import pytest

from opforge import io
from opforge.base.errors import OpforgeError, ShapeError


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("1,2,3\n2,3,4\n3,4,5\n4,5,6\n5,6,7\n")
    return path


def epoch(batches):
    """Return the first number of each row, the labels and the padding; then reset."""
    found = [
        (b.data[0].asnumpy()[:, 0].tolist(), b.label[0].asnumpy().tolist(), b.pad, list(b.index))
        for b in batches
    ]
    batches.reset()
    return found


# Each expectation is what MXNet 1.9.1 gives.
def test_round_batches_go_on_behind_the_rows_that_filled_up(data):
    batches = io.CSVIter(data_csv=data, data_shape=(3,), batch_size=3)
    none = [0, 0, 0]
    assert epoch(batches) == [([1, 2, 3], none, 0, [0, 1, 2]), ([4, 5, 1], none, 1, [3, 4, 0])]
    assert epoch(batches) == [([2, 3, 4], none, 0, [1, 2, 3]), ([5, 1, 2], none, 2, [4, 0, 1])]
    assert epoch(batches) == [([3, 4, 5], none, 0, [2, 3, 4])]


def test_other_batches_end_with_rows_of_the_batch_before(data, tmp_path):
    labels = tmp_path / "labels.csv"
    labels.write_text("10\n20\n30\n40\n50\n")
    batches = io.CSVIter(
        data_csv=str(data), data_shape=3, batch_size=3, label_csv=labels, round_batch=False
    )
    expected = [
        ([1, 2, 3], [10, 20, 30], 0, [0, 1, 2]),
        ([4, 5, 3], [40, 50, 30], 1, [3, 4, 2]),
    ]
    assert epoch(batches) == expected
    assert epoch(batches) == expected


def test_shapes_types_and_names(data, tmp_path):
    labels = tmp_path / "labels.csv"
    labels.write_text("1,2\n3,4\n5,6\n7,8\n9,0")
    batches = io.CSVIter(
        data_csv=data, data_shape=(3, 1), batch_size=2, label_csv=labels, label_shape=(2,),
        dtype="int32", data_name="x", label_name="y", prefetch_buffer=1,
    )  # fmt: skip
    assert batches.provide_data == [("x", (2, 3, 1))]
    assert batches.provide_label == [("y", (2, 2))]
    batch = batches.next()
    assert batch.data[0].dtype is np.int32 and batch.data[0].shape == (2, 3, 1)
    assert batch.label[0].asnumpy().tolist() == [[1, 2], [3, 4]]


def test_a_folder_is_read_in_the_order_of_names(tmp_path):
    (tmp_path / "b").write_text("2\n\n3\n")
    (tmp_path / "a").write_text("1")
    batches = io.CSVIter(data_csv=tmp_path, data_shape=(1,), batch_size=3)
    assert batches.next().data[0].asnumpy().ravel().tolist() == [1, 2, 3]


def test_refusals(data, tmp_path):
    with pytest.raises(ShapeError, match=r"5 rows of 3 numbers, expected .* of 4 for shape \(4,\)"):
        io.CSVIter(data_csv=data, data_shape=(4,), batch_size=2)
    few = tmp_path / "few.csv"
    few.write_text("1\n2\n")
    with pytest.raises(ShapeError, match="has 2 rows, expected at least 5"):
        io.CSVIter(data_csv=data, data_shape=(3,), batch_size=2, label_csv=few)
    few.write_text("1,2\na,b\n")
    with pytest.raises(OpforgeError, match="cannot be read as float32: could not convert"):
        io.CSVIter(data_csv=few, data_shape=(2,), batch_size=2)
    few.write_text("1,2\n3\n")
    with pytest.raises(OpforgeError, match="equally many numbers"):
        io.CSVIter(data_csv=few, data_shape=(2,), batch_size=2)
    with pytest.raises(FileNotFoundError):
        io.CSVIter(data_csv=tmp_path / "none.csv", data_shape=(2,), batch_size=2)


def test_batches_must_hold_something(data):
    with pytest.raises(ValueError, match="CSVIter: got batch_size=0, expected at least 1"):
        io.CSVIter(data_csv=data, data_shape=(3,), batch_size=0)


def test_an_empty_file_is_refused(tmp_path):
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(ShapeError, match="at least one row"):
        io.CSVIter(data_csv=tmp_path / "empty.csv", data_shape=(2,), batch_size=2)


def test_data_and_labels_are_single_arrays(data):
    batches = io.CSVIter(data_csv=data, data_shape=(3,), batch_size=2)
    batch = next(batches)
    assert batches.getdata().asnumpy().tolist() == batch.data[0].asnumpy().tolist()
    assert batches.getlabel().shape == (2,)
    assert batches.getpad() == 0
