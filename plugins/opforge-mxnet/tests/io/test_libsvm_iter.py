import numpy as np
import pytest

from opforge import io
from opforge.base.errors import ShapeError

TEXT = "1 0:0.5 2:1.5\n0\n2 1:3 # c\n\n-1.5 2:2 0:1\n3 1:7\n"
ROWS = [[0.5, 0, 1.5], [0, 0, 0], [0, 3, 0], [1, 0, 2], [0, 7, 0]]


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.libsvm"
    path.write_text(TEXT)
    return path


def epoch(batches):
    """Return rows, labels, padding and numbers of each batch; then reset."""
    found = []
    for batch in batches:
        assert batch.data[0].stype == "csr"
        batch.data[0].check_format()
        arrays = batch.data[0], batch.label[0]
        found.append((*(one.asnumpy().tolist() for one in arrays), batch.pad, list(batch.index)))
    batches.reset()
    return found


# Each expectation is what MXNet 1.9.1 gives.
def test_round_batches_go_on_behind_the_rows_that_filled_up(data):
    batches = io.LibSVMIter(data_libsvm=data, data_shape=(3,), batch_size=2)
    assert batches.provide_data == [("data", (2, 3))]
    assert batches.provide_label == [("softmax_label", (2,))]
    labels = [1, 0, 2, -1.5, 3]
    for wanted in ([[0, 1], [2, 3], [4, 0]], [[1, 2], [3, 4]], [[0, 1], [2, 3], [4, 0]]):
        assert epoch(batches) == [
            ([ROWS[r] for r in rows], [labels[r] for r in rows], int(rows == [4, 0]), rows)
            for rows in wanted
        ]
    batches.next()
    assert batches.getdata().asnumpy().tolist() == [ROWS[1], ROWS[2]]
    assert batches.getlabel().asnumpy().tolist() == [0, 2]


def test_parts_are_those_of_mxnet(data):
    def part(index, count):
        batches = io.LibSVMIter(
            data_libsvm=str(data), data_shape=3, batch_size=1, num_parts=count, part_index=index
        )
        return [row for rows, *_ in epoch(batches) for row in rows]

    assert [part(k, 2) for k in range(2)] == [ROWS[:3], ROWS[3:]]
    assert part(0, 3) + part(1, 3) + part(2, 3) == ROWS
    with pytest.raises(ShapeError, match="part 9 of 30 of data_libsvm"):
        part(9, 30)
    for index, count in ((2, 2), (-1, 2), (0, 0)):
        with pytest.raises(ValueError, match=f"part_index={index} of num_parts={count}"):
            part(index, count)


def test_labels_of_a_second_file(data, tmp_path):
    path = tmp_path / "labels.libsvm"
    path.write_text("0 0:1 1:2\n0 1:1\n1 0:3\n0\n0 0:4\n")
    settings = {"data_libsvm": data, "data_shape": (3,), "label_libsvm": path, "label_shape": (2,)}
    batches = io.LibSVMIter(**settings, batch_size=2, part_index=1, num_parts=2, label_name="y")
    assert batches.provide_label == [("y", (2, 2))]
    (batch,) = batches
    assert batch.label[0].stype == "csr"
    assert batch.label[0].asnumpy().tolist() == [[0, 0], [4, 0]]
    path.write_text("0 0:1 1:2\n0 1:1\n")
    with pytest.raises(ShapeError, match="has 2 rows, expected at least 5"):
        io.LibSVMIter(**settings, batch_size=2)


def test_types_and_other_last_batches(data):
    batches = io.LibSVMIter(
        data_libsvm=data, data_shape=(3,), batch_size=2, round_batch=False, dtype="int64"
    )
    for _ in range(2):
        found = epoch(batches)
        assert [rows for *_, rows in found] == [[0, 1], [2, 3], [4, 3]]
    assert batches.getdata().dtype == np.int64 and batches.getlabel().dtype == np.int64


def test_invalid_shapes_and_batch_sizes_are_rejected(data, tmp_path):
    for shape in ((3, 1), (), 0):
        with pytest.raises(ShapeError, match="expected the length of a row"):
            io.LibSVMIter(data_libsvm=data, data_shape=shape, batch_size=1)
    with pytest.raises(ValueError, match="LibSVMIter: got batch_size=0"):
        io.LibSVMIter(data_libsvm=data, data_shape=3, batch_size=0)
    with pytest.raises(FileNotFoundError):
        io.LibSVMIter(data_libsvm=tmp_path / "none", data_shape=3, batch_size=1)
    (tmp_path / "empty").write_text("\n# nothing\n")
    with pytest.raises(ShapeError, match="has no rows; expected at least one; the file has 0"):
        io.LibSVMIter(data_libsvm=tmp_path / "empty", data_shape=3, batch_size=1)
