import errno
import os
import threading

import pytest

import opforge as mx
from opforge.base.errors import MissingFileError
from opforge.base.files import open_file, replacing


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
        lambda path: mx.checkpoint.load_checkpoint(str(path), 0),
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


def test_a_file_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"former")
    with pytest.raises(KeyboardInterrupt), replacing(path) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"former"
    with replacing(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"former"
    assert path.read_bytes() == b"new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a"]


def test_a_link_stays_and_a_device_is_written_to(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with replacing(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "a").read_bytes() == b"new" and (tmp_path / "link").is_symlink()
    with replacing(os.devnull) as file:
        file.write(b"nothing")


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_permissions_of_a_file_that_is_replaced_stay(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with replacing(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_two_threads_replace_one_file(tmp_path):
    path = tmp_path / "a"
    failed = []

    def write():
        try:
            with replacing(path) as file:
                file.write(b"inner")
        except OSError as error:
            failed.append(error)

    with replacing(path) as file:
        file.write(b"outer")
        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
        assert path.read_bytes() == b"inner"
    assert not failed
    assert path.read_bytes() == b"outer"


def test_states_of_an_interrupted_save_are_those_of_before(tmp_path):
    class Unpicklable(mx.optimizer.SGD):
        def __getstate__(self):
            raise RuntimeError("not now")

    weight = mx.gluon.Parameter("w", shape=(1,))
    weight.initialize()
    path = tmp_path / "a.states"
    mx.gluon.Trainer([weight], "sgd").save_states(path)
    before = path.read_bytes()
    with pytest.raises(RuntimeError, match="not now"):
        mx.gluon.Trainer([weight], Unpicklable()).save_states(path)
    assert before and path.read_bytes() == before
