import pytest

import opforge as mx


def test_load_says_how_plugins_are_made(tmp_path):
    with pytest.raises(mx.MXNetError, match=r"no such file.*opforge new NAME"):
        mx.library.load("/nowhere/lib.so")
    file = tmp_path / "lib.so"
    file.write_bytes(b"")
    with pytest.raises(mx.MXNetError, match="is a library for MXNet's core") as caught:
        mx.library.load(str(file), verbose=False)
    assert "no such file" not in str(caught.value)
