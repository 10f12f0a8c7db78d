"""Files of sparse rows: what is read, and what is refused with file and line."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opforge_mxnet.io.libsvm_text import read_rows

from opforge.base.errors import OpforgeError

SETTINGS = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)
ROWS = st.lists(st.tuples(NUMBERS, st.dictionaries(st.integers(0, 9), NUMBERS, max_size=4)))


def read(folder, content):
    path = folder / "file"
    path.write_bytes(content)
    return read_rows(path, 10, "Test")


@SETTINGS
@given(ROWS, st.sampled_from([" ", "  ", "\t"]), st.sampled_from(["\n", "\r\n", " #x:1\n\n"]))
def test_rows_come_back(tmp_path, rows, gap, end):
    lines = [gap.join([repr(y), *(f"{k}:{v!r}" for k, v in pairs.items())]) for y, pairs in rows]
    found = read(tmp_path, end.join(lines).encode())
    assert found.labels.tolist() == [label for label, _ in rows]
    assert found.columns.tolist() == [k for _, pairs in rows for k in sorted(pairs)]
    assert found.values.tolist() == [pairs[k] for _, pairs in rows for k in sorted(pairs)]
    assert np.diff(found.bounds).tolist() == [len(pairs) for _, pairs in rows]
    starts = np.cumsum([0, *(len(line) + len(end) for line in lines)])[:-1]
    assert found.offsets.tolist() == starts.tolist()


@SETTINGS
@given(st.lists(st.sampled_from([*"0123:: \n\n-.e#\r\0", "9:1 ", "nan", "\xff"]), max_size=30))
def test_random_text_is_read_or_rejected(tmp_path, pieces):
    content = "".join(pieces).encode("latin-1")
    try:
        found = read(tmp_path, content)
    except OpforgeError as error:
        assert str(tmp_path / "file") in str(error)
        return
    assert ((found.columns >= 0) & (found.columns < 10)).all()
    assert len(found.values) == len(found.columns) == found.bounds[-1]
    assert len(found.bounds) == len(found.labels) + 1 == len(found.offsets) + 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1 0:1\n1 a:2", "line 2: got 'a:2'; expected index:value with numbers"),
        (b"x 0:1", "line 1: got 'x'; expected a number as the label"),
        (b"1 2", "line 1: got '2'; expected index:value"),
        (b"\n\n1 2:3:4", "line 3: got '2:3:4'"),
        (b"1 :2", "got ':2'"),
        (b"1 2:", "got '2:'"),
        (b"1 10:1", "line 1: got the index 10; expected an integer from 0 to 9"),
        (b"0\n1 1:1 -1:1", "line 2: got the index -1"),
        (b"1 1.5:1", "got the index 1.5"),
        (b"1 nan:1", "got the index nan"),
        (b"1 99999999999999999999:1", "got the index 1e"),
        (b"\xff\xfe 1", "got '\ufffd\ufffd'; expected a number"),
    ],
)
def test_errors_name_file_and_line(tmp_path, content, message):
    with pytest.raises(OpforgeError) as caught:
        read(tmp_path, content)
    assert message in str(caught.value) and str(tmp_path / "file") in str(caught.value)


def test_weights_of_labels_are_left_out(tmp_path):
    found = read(tmp_path, b"1:0.5 2:3\n-2:7")
    assert (found.labels.tolist(), found.values.tolist()) == ([1, -2], [3])


def test_rows_are_taken_in_any_order(tmp_path):
    found = read(tmp_path, b"1 0:1 1:2\n2\n3 4:5").taken(np.array([2, 0, 2]))
    assert found.labels.tolist() == [3, 1, 3]
    assert found.columns.tolist() == [4, 0, 1, 4]
    assert found.bounds.tolist() == [0, 1, 3, 4]
