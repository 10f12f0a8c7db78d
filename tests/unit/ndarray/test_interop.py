import hashlib
import sys

import numpy as np
import pytest

from opforge import nd

X = np.array([[1.5, 2, -3], [4, 0.25, 6]], "float32")


def test_lists_of_numbers():
    assert nd.array(X).tolist() == X.tolist()
    assert nd.array([1, 0], dtype="bool").tolist() == [True, False]
    assert nd.zeros((0, 2)).tolist() == []
    assert [type(x) for x in nd.array([7], dtype="int32").tolist()] == [int]


def test_other_names_return_a_copy():
    x = nd.array(X)
    copy = x.to_numpy()
    x[:] = 0
    np.testing.assert_array_equal(copy, X)


def test_arrow_is_used_only_if_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="pyarrow"):
        nd.ones(1).__arrow_array__()


def test_capsules_show_the_elements():
    x = nd.array(X)
    for capsule in (x.to_dlpack_for_read(), x.to_dlpack_for_write()):
        np.testing.assert_array_equal(nd.from_dlpack(capsule).asnumpy(), X)


def test_bytes_are_the_elements():
    for dtype in ("int32", "float32", "uint8", "bool"):
        for source in ([5], [1, 2]):
            x = nd.array(source, dtype=dtype)
            assert bytes(x) == x.asnumpy().tobytes()
    assert bytearray(nd.array([1, 2], dtype="int32")) == np.array([1, 2], "int32").tobytes()
    assert bytes(nd.ones(2, dtype="bfloat16")) == b"\x80\x3f" * 2


def test_readers_of_bytes_without_a_type_are_rejected():
    x = nd.array(X)
    with pytest.raises(BufferError, match=r"asked for bytes, .* array of float32; pass memoryview"):
        hashlib.sha256(x)
    assert hashlib.sha256(memoryview(x)).digest() == hashlib.sha256(X.tobytes()).digest()
    assert memoryview(x).tolist() == X.tolist()
