"""NumPy's removed names come back when asked, and not before."""

import warnings

import numpy as np
import pytest

from opforge.mxnet._numpy_names import NUMPY_ALIASES, missing_alias, restore_numpy_aliases


@pytest.fixture
def restored(monkeypatch):
    monkeypatch.setattr(np, "fromstring", np.fromstring)
    monkeypatch.setattr(np, "reshape", np.reshape)
    names = restore_numpy_aliases()
    yield names
    for name in names:
        delattr(np, name)


def test_aliases_come_back(restored):
    assert np.int is int
    assert np.float is float
    assert np.float_ is np.float64
    assert np.isnan(np.NaN)
    assert np.product([2, 3]) == 6
    assert {"int", "float", "object"} <= set(restored)


def test_existing_numpy_names_are_kept(restored):
    assert "round" not in restored
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        assert np.bool is np.bool_
    assert restore_numpy_aliases() == []  # the second time there is nothing to do


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


def test_none_is_there_unasked():
    with pytest.raises(AttributeError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _ = np.int


@pytest.mark.parametrize("name", sorted(NUMPY_ALIASES))
def test_numpys_error_about_a_name_is_recognised(name):
    if name in vars(np):
        pytest.skip("this NumPy has it")
    with pytest.raises(AttributeError) as caught, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        getattr(np, name)
    assert missing_alias(caught.value) == name


def test_numpys_error_about_bytes_is_recognised():
    if np.lib.NumpyVersion(np.__version__) < "2.3.0":
        pytest.skip("this NumPy reads bytes")
    with pytest.raises(ValueError) as caught:
        np.fromstring(b"ab", np.int8)
    assert missing_alias(caught.value) == "fromstring of bytes"


def test_numpys_error_about_newshape_is_recognised():
    if np.lib.NumpyVersion(np.__version__) < "2.4.0":
        pytest.skip("this NumPy takes it")
    with pytest.raises(TypeError) as caught:
        np.reshape([1], newshape=(1, 1))
    assert missing_alias(caught.value) == "reshape's newshape"


def test_other_errors_are_not():
    assert missing_alias(ValueError("module 'numpy' has no attribute 'int'")) is None
    assert missing_alias(AttributeError("module 'numpy' has no attribute 'nothing'")) is None
    assert missing_alias(AttributeError("'X' object has no attribute 'int'")) is None
