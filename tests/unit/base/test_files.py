import errno
import os
import threading

import pytest

import opforge as mx
from opforge.base.errors import MissingFileError
from opforge.base.files import open_file, replacing, replacing_together


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


def fail_on_call(monkeypatch, number):
    """Let the writing of a file fail, as on a full disk."""
    calls = []

    def fsync(handle):
        calls.append(handle)
        if len(calls) == number:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)


def test_files_are_replaced_together(tmp_path, monkeypatch):
    for name in "ab":
        (tmp_path / name).write_bytes(b"old")

    def write(*names):
        with replacing_together():
            for name in names:
                with replacing_together(), replacing(tmp_path / name) as file:
                    file.write(b"new")
                assert (tmp_path / name).read_bytes() == b"old"

    with pytest.raises(RuntimeError, match="not now"), replacing_together():
        with replacing(tmp_path / "a") as file:
            file.write(b"new")
        raise RuntimeError("not now")
    with monkeypatch.context() as patch:
        fail_on_call(patch, 2)
        with pytest.raises(OSError, match="No space left"):
            write("a", "b")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == dict.fromkeys(
        ["a", "b"], b"old"
    )
    write("a", "a", "b")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == dict.fromkeys(
        ["a", "b"], b"new"
    )


def test_other_threads_do_not_wait_for_a_block(tmp_path):
    def write():
        with replacing(tmp_path / "a") as file:
            file.write(b"new")

    with replacing_together():
        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
        assert (tmp_path / "a").read_bytes() == b"new"


def test_a_failed_rename_leaves_no_temporary_files(tmp_path):
    with pytest.raises(OSError), replacing_together():
        for name in "ab":
            with replacing(tmp_path / name) as file:
                file.write(b"new")
        (tmp_path / "a").mkdir()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def network():
    net = mx.gluon.nn.HybridSequential(prefix="net_")
    net.add(mx.gluon.nn.HybridLambda("tanh"))
    net.hybridize()
    net(mx.nd.ones(1))
    return net


def module():
    made = mx.mod.Module(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2), label_names=None)
    made.bind([("data", (1, 2))])
    made.init_params()
    made.init_optimizer(kvstore=None)
    return made


SAVED = {
    "Symbol.save": lambda path: mx.sym.exp(mx.sym.var("x")).save(f"{path}.json"),
    "nd.save": lambda path: mx.nd.save(f"{path}.params", [mx.nd.ones(1)]),
    "Block.save_parameters": lambda path: network().save_parameters(f"{path}.params"),
    "Block.save": lambda path: network().save(str(path)),
    "HybridBlock.export": lambda path: network().export(str(path)),
    "save_checkpoint": lambda path: mx.checkpoint.save_checkpoint(
        str(path), 1, mx.sym.var("x"), {"x": mx.nd.ones(1)}, {}
    ),
    "Module.save_checkpoint": lambda path: module().save_checkpoint(str(path), 1, True),
}


@pytest.mark.plugins
@pytest.mark.parametrize("name", SAVED)
def test_nothing_changes_if_a_save_fails(name, tmp_path, monkeypatch):
    SAVED[name](tmp_path / "saved")
    paths = list(tmp_path.iterdir())
    for path in paths:
        path.write_bytes(b"old")
    for number in range(1, len(paths) + 1):
        with monkeypatch.context() as patch:
            fail_on_call(patch, number)
            with pytest.raises(OSError, match="No space left"):
                SAVED[name](tmp_path / "saved")
        assert {path: path.read_bytes() for path in tmp_path.iterdir()} == dict.fromkeys(
            paths, b"old"
        )
    SAVED[name](tmp_path / "saved")
    assert all(path.read_bytes() != b"old" for path in paths)
