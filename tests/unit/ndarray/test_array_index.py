import os
import threading

import numpy as np
import pytest

from opforge import nd, np_shape
from opforge.base.errors import MissingFileError, OpforgeError
from opforge.ndarray.array_index import open_index


def arrays():
    return {
        "a": nd.array(np.arange(6).reshape(2, 3)),
        "b": nd.array([True, False], dtype="bool"),
        "empty": nd.array(np.empty((0, 3))),
    }


@pytest.mark.parametrize("suffix", ["params", "safetensors"])
def test_arrays_are_read_in_any_order(suffix, tmp_path):
    path = tmp_path / f"x.{suffix}"
    nd.save(path, arrays())
    with open_index(path) as index:
        assert {name: saved.shape for name, saved in index.items()} == {
            name: array.shape for name, array in nd.load(path).items()
        }
        for name in ("b", "a", "empty", "a"):
            found, expected = index[name].read(), nd.load(path)[name]
            assert found.dtype == expected.dtype
            assert found.asnumpy().tolist() == expected.asnumpy().tolist()


def test_lists_and_sparse_arrays(tmp_path):
    saved = [nd.ones(2), nd.array([[0, 1]]).tostype("csr"), nd.ones((2, 2)).tostype("row_sparse")]
    nd.save(tmp_path / "x", saved)
    with open_index(tmp_path / "x") as index:
        for entry, array in zip(index, saved, strict=True):
            found = entry.read()
            assert (entry.shape, found.stype) == (array.shape, array.stype)
            assert found.asnumpy().tolist() == array.asnumpy().tolist()


@pytest.mark.parametrize("cut", [3, 30, 60, 100])
def test_damaged_files(cut, tmp_path):
    path = tmp_path / "x"
    nd.save(path, {"weight": nd.ones((8, 8))})
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(OpforgeError) as theirs:
        nd.load(path)
    with pytest.raises(OpforgeError) as ours, open_index(path):
        pass
    assert str(ours.value) == str(theirs.value)
    with pytest.raises(MissingFileError), open_index(tmp_path / "missing"):
        pass


def test_shape_semantics_are_checked(tmp_path):
    nd.save(tmp_path / "x", [nd.ones(1)])
    with (
        pytest.raises(OpforgeError, match="np shape semantics"),
        np_shape(True),
        open_index(tmp_path / "x"),
    ):
        pass


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are POSIX's")
def test_pipes(tmp_path):
    nd.save(tmp_path / "x", arrays())
    os.mkfifo(tmp_path / "pipe")
    content = (tmp_path / "x").read_bytes()
    thread = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(content,))
    thread.start()
    with open_index(tmp_path / "pipe") as index:
        assert index["a"].read().asnumpy().tolist() == [[0, 1, 2], [3, 4, 5]]
    thread.join()
