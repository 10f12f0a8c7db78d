import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import OpforgeError
from opforge.ndarray.array_headers import ArrayHeader, read_headers


def test_names_shapes_and_types(tmp_path):
    file = tmp_path / "x.params"
    arrays = {
        "arg:weight": nd.ones((2, 3)),
        "aux:count": nd.zeros((4,), dtype="int32"),
        "empty": nd.array(np.empty((0, 3), np.float64)),
    }
    nd.save(file, arrays)
    assert read_headers(file) == [
        ArrayHeader("arg:weight", (2, 3), "float32"),
        ArrayHeader("aux:count", (4,), "int32"),
        ArrayHeader("empty", tuple(nd.load(file)["empty"].shape), "float32"),
    ]
    nd.save(file, [nd.ones((1,))])
    assert read_headers(file) == [ArrayHeader("", (1,), "float32")]


def test_elements_are_not_read(tmp_path, monkeypatch):
    file = tmp_path / "x.params"
    nd.save(file, {"w": nd.ones((1000, 1000))})
    monkeypatch.setattr("opforge.ndarray.array_bytes.empty", None)
    assert read_headers(file)[0].shape == (1000, 1000)


@pytest.mark.parametrize("cut", [3, 30, 60, 100])
def test_damaged_files_are_rejected_as_by_nd_load(tmp_path, cut):
    file = tmp_path / "x.params"
    nd.save(file, {"weight": nd.ones((8, 8))})
    file.write_bytes(file.read_bytes()[:cut])
    with pytest.raises(OpforgeError) as theirs:
        nd.load(file)
    with pytest.raises(OpforgeError) as ours:
        read_headers(file)
    assert str(ours.value) == str(theirs.value)
