"""Functions of NumPy and Python accept again what they have rejected since, when asked."""

import json
import pickle

import numpy as np
import pytest

from opforge.mxnet._removed_names import missing_alias


def test_fromstring_reads_bytes_again(restored):
    data = np.arange(3, dtype=np.int16)
    found = np.fromstring(data.tobytes(), dtype=np.int16)
    assert found.tolist() == [0, 1, 2] and found.flags.writeable
    assert np.fromstring(data.tobytes(), np.int8, 2).tolist() == [0, 0]
    assert np.fromstring("1 2", dtype=int, sep=" ").tolist() == [1, 2]


def test_reshape_takes_newshape_again(restored):
    x = np.arange(6)
    for found in (
        np.reshape(x, newshape=(2, 3)),
        np.reshape(x, (2, 3)),
        np.reshape(x, (2, 3), "C"),
    ):
        assert found.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert np.reshape(x, newshape=(2, 3), order="F").tolist() == [[0, 2, 4], [1, 3, 5]]
    with pytest.raises(TypeError):
        np.reshape(x)


RAGGED = [[1, 2], [3]]


def test_lists_of_unequal_lengths_become_objects(restored):
    for make in (np.array, np.asarray, np.asanyarray):
        found = make(RAGGED)
        assert found.dtype == object and found.tolist() == RAGGED
        assert make([[1, 2]], dtype="float32").tolist() == [[1, 2]]
        for arguments in ({"dtype": int}, {"dtype": "float32"}):
            with pytest.raises(ValueError, match="inhomogeneous"):
                make(RAGGED, **arguments)
    assert np.array(RAGGED, ndmin=2).shape == (1, 2)
    assert pickle.loads(pickle.dumps(np.array)) is np.array


def test_lists_of_unequal_lengths_are_saved(restored, tmp_path):
    np.save(tmp_path / "x.npy", [np.arange(2), np.arange(3)], allow_pickle=True)
    found = np.load(tmp_path / "x.npy", allow_pickle=True)
    assert [one.tolist() for one in found] == [[0, 1], [0, 1, 2]]
    np.save(tmp_path / "y.npy", [[1, 2]])
    assert np.load(tmp_path / "y.npy").tolist() == [[1, 2]]


def test_json_ignores_an_encoding_again(restored):
    assert json.loads('[1, "b"]', encoding="utf-8") == [1, "b"]
    assert json.loads("[1.5]", parse_float=str) == ["1.5"]


def test_numpys_error_about_unequal_lengths_is_recognised():
    with pytest.raises(ValueError) as caught:
        np.array(RAGGED)
    assert missing_alias(caught.value) == "numpy.array of lists of unequal lengths"


def test_pythons_error_about_an_encoding_is_recognised():
    with pytest.raises(TypeError) as caught:
        json.loads("[]", encoding="utf-8")
    assert missing_alias(caught.value) == "encoding of json.loads"


def test_numpys_error_about_bytes_is_recognised():
    if np.lib.NumpyVersion(np.__version__) < "2.3.0":
        pytest.skip("this NumPy reads bytes")
    with pytest.raises(ValueError) as caught:
        np.fromstring(b"ab", np.int8)
    assert missing_alias(caught.value) == "numpy.fromstring of bytes"


def test_numpys_error_about_newshape_is_recognised():
    if np.lib.NumpyVersion(np.__version__) < "2.4.0":
        pytest.skip("this NumPy takes it")
    with pytest.raises(TypeError) as caught:
        np.reshape([1], newshape=(1, 1))
    assert missing_alias(caught.value) == "newshape of numpy.reshape"
