import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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


def test_reset_within_an_epoch_starts_at_the_first_row(data):
    """MXNet skips the rows that would have filled up the last batch."""
    batches = io.CSVIter(data_csv=data, data_shape=(3,), batch_size=3)
    batches.next()
    batches.reset()
    assert batches.next().data[0].asnumpy()[:, 0].tolist() == [1, 2, 3]


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


def test_invalid_files_and_arguments_raise(data, tmp_path):
    with pytest.raises(ShapeError, match=r"line 1 has 3 numbers; expected 4 for shape \(4,\)"):
        io.CSVIter(data_csv=data, data_shape=(4,), batch_size=2)
    few = tmp_path / "few.csv"
    few.write_text("1\n2\n")
    with pytest.raises(ShapeError, match="has 2 rows, expected at least 5"):
        io.CSVIter(data_csv=data, data_shape=(3,), batch_size=2, label_csv=few)
    with pytest.raises(FileNotFoundError):
        io.CSVIter(data_csv=tmp_path / "none.csv", data_shape=(2,), batch_size=2)


def test_batches_must_hold_something(data):
    with pytest.raises(ValueError, match="CSVIter: got batch_size=0, expected at least 1"):
        io.CSVIter(data_csv=data, data_shape=(3,), batch_size=0)


def test_an_empty_file_is_rejected(tmp_path):
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(ShapeError, match="has no rows; expected at least one"):
        io.CSVIter(data_csv=tmp_path / "empty.csv", data_shape=(2,), batch_size=2)


@pytest.mark.parametrize("batch_size", [1, 2, 3, 4, 6, 7])
@pytest.mark.parametrize("round_batch", [True, False])
def test_no_epoch_is_empty_and_rows_are_used_equally_often(data, batch_size, round_batch):
    batches = io.CSVIter(
        data_csv=data, data_shape=(3,), batch_size=batch_size, round_batch=round_batch
    )
    used = []
    for _ in range(4):
        batches.reset()
        epoch = list(batches)
        assert len(epoch) >= 1
        used.extend(row for batch in epoch for row in batch.index)
    if round_batch:
        counts = np.bincount(used)
        assert counts.max() - counts.min() <= 1


def test_data_and_labels_are_single_arrays(data):
    batches = io.CSVIter(data_csv=data, data_shape=(3,), batch_size=2)
    batch = next(batches)
    assert batches.getdata().asnumpy().tolist() == batch.data[0].asnumpy().tolist()
    assert batches.getlabel().shape == (2,)
    assert batches.getpad() == 0


SETTINGS = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
TYPES = {
    "float32": st.floats(width=32),
    "float64": st.floats(),
    "int32": st.integers(-(2**31), 2**31 - 1),
    "int64": st.integers(-(2**63), 2**63 - 1),
}


@SETTINGS
@given(st.sampled_from(sorted(TYPES)), st.sampled_from([",", " ,\t"]), st.data())
def test_all_numbers_come_back(tmp_path, dtype, comma, draw):
    rows = draw.draw(st.lists(st.tuples(TYPES[dtype], TYPES[dtype]), min_size=1))
    path = tmp_path / "numbers.csv"
    end = draw.draw(st.sampled_from(["\n", "\r\n", " # x\n\n"]))
    path.write_bytes(end.join(comma.join(map(repr, row)) for row in rows).encode())
    batches = io.CSVIter(data_csv=path, data_shape=2, batch_size=len(rows), dtype=dtype)
    np.testing.assert_array_equal(batches.next().data[0].asnumpy(), np.array(rows, dtype))


@SETTINGS
@given(st.lists(st.sampled_from([*"0123,,\n\n-.e#\r\0", "nan", "\xff"]), max_size=20))
def test_random_text_is_read_or_rejected(tmp_path, pieces):
    path = tmp_path / "any.csv"
    path.write_bytes("".join(pieces).encode("latin-1"))
    for dtype in ("float32", "int64"):
        try:
            batch = io.CSVIter(data_csv=path, data_shape=2, batch_size=1, dtype=dtype).next()
        except OpforgeError as error:
            assert str(path) in str(error)
        else:
            assert batch.data[0].shape == (1, 2)


@pytest.mark.parametrize(
    ("content", "dtype", "message"),
    [
        (b"1,2\na,b", "float32", "line 2: got 'a'; expected a number"),
        (b"1,2\n3\n", "float32", "line 2 has 1 numbers; expected 2"),
        (b"1,2\n\n3,4,5", "float32", "line 3 has 3 numbers; expected 2"),
        (b"1,", "float32", "line 1: got ''; expected a number"),
        (b"1,2,", "float32", "line 1 has 3 numbers"),
        (b"1 2,3", "float32", "line 1: got '2'; expected a number"),
        (b"1,0x10", "float32", "got '0x10'"),
        (b"1,1_0", "float32", "got '1_0'"),
        (b"1,2.5", "int32", "got '2.5'; expected an integer from -2147483648 to 2147483647"),
        (b"1,2147483648", "int32", "got '2147483648'"),
        (b"-9223372036854775809,1", "int64", "got '-9223372036854775809'"),
        (b"9223372036854775808,1", "int64", "got '9223372036854775808'"),
        (b"\xff\xfe,1", "float32", "got '\ufffd\ufffd'"),
    ],
)
def test_errors_name_file_and_line(tmp_path, content, dtype, message):
    path = tmp_path / "file.csv"
    path.write_bytes(content)
    with pytest.raises(OpforgeError) as caught:
        io.CSVIter(data_csv=path, data_shape=2, batch_size=1, dtype=dtype)
    assert message in str(caught.value) and str(path) in str(caught.value)
