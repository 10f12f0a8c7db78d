import pytest

import opforge as mx


def test_a_missing_file_is_reported_as_in_mxnet():
    with pytest.raises(mx.MXNetError, match=r"load path /nowhere/lib\.so does NOT exist"):
        mx.library.load("/nowhere/lib.so")


def test_a_library_for_mxnet_needs_a_plugin(tmp_path):
    file = tmp_path / "lib.so"
    file.write_bytes(b"\x7fELF _opRegSize")
    with pytest.raises(mx.MXNetError, match=r"is a library for MXNet's core.*opforge new NAME"):
        mx.library.load(str(file), verbose=False)
