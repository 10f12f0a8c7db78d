import errno

import pytest

import opforge as mx
from opforge.base.errors import MissingFileError
from opforge.base.files import open_file


def test_opens_as_the_builtin_does(tmp_path):
    with open_file(tmp_path / "a", "w", encoding="utf-8") as file:
        file.write("ä")
    with open_file(tmp_path / "a", "rb") as file:
        assert file.read() == "ä".encode()


@pytest.mark.parametrize(
    "use",
    [
        lambda path: open_file(path, "rb"),
        mx.nd.load,
        lambda path: mx.nd.save(path / "x", [mx.nd.ones(2)]),
        mx.sym.load,
        lambda path: mx.sym.var("x").save(path / "x"),
        lambda path: mx.gluon.nn.Sequential().load_parameters(str(path)),
        lambda path: mx.model.load_checkpoint(str(path), 0),
    ],
)
def test_a_missing_file_is_mxnets_error_and_pythons(use, tmp_path):
    with pytest.raises(mx.base.MXNetError, match="No such file or directory") as caught:
        use(tmp_path / "missing")
    assert isinstance(caught.value, FileNotFoundError)
    assert caught.value.errno == errno.ENOENT
    assert "missing" in caught.value.filename
    assert type(caught.value).__name__ == "MXNetError"
    assert type(caught.value) is MissingFileError
