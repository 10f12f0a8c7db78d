"""Checkpoints of a training: what is kept, what is damaged, and the same numbers afterwards."""

import logging
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import opforge
from opforge import gluon, nd, sym
from opforge.base.errors import MXNetError
from opforge.checkpoint import CheckpointManager
from opforge.checkpoint.folders import listed_folders

from .programs import BATCHES, EPOCHS, Training

STEPS = EPOCHS * BATCHES


class Piece:
    """Something with a state."""

    def __init__(self, value):
        self.value = value

    def state_dict(self):
        return {"value": self.value}

    def load_state_dict(self, state):
        self.value = state["value"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return what a training notes that nothing interrupts."""
    noted = {}
    Training(tmp_path_factory.mktemp("whole")).run(noted.__setitem__)
    assert len(set(noted.values())) == STEPS
    return noted


@pytest.mark.plugins
def test_it_does_not_matter_whether_it_is_saved(whole, tmp_path):
    noted = {}
    Training(tmp_path, every=1000).run(noted.__setitem__)
    assert noted == whole
    assert not list(tmp_path.iterdir())


@pytest.mark.plugins
@pytest.mark.parametrize("prefetch", [0, 2])
@pytest.mark.parametrize("stop", [1, BATCHES - 1, BATCHES, BATCHES + 2, STEPS])
def test_a_resumed_training_has_the_same_numbers(tmp_path, stop, prefetch):
    expected = {}
    Training(tmp_path / "whole", prefetch, every=1000).run(expected.__setitem__)
    noted = {}
    Training(tmp_path / "parts", prefetch).run(noted.__setitem__, stop)
    assert len(noted) == stop
    Training(tmp_path / "parts", prefetch).run(noted.__setitem__)
    assert noted == expected


@pytest.mark.plugins
def test_a_checkpoint_between_others_is_enough(whole, tmp_path):
    noted = {}
    Training(tmp_path, every=3).run(noted.__setitem__, 8)
    assert Training(tmp_path).manager.latest() == 6
    Training(tmp_path).run(noted.__setitem__)
    assert noted == whole


def test_the_newest_are_kept(tmp_path):
    manager = CheckpointManager(tmp_path, keep=2, piece=Piece(1))
    assert manager.restore() is None
    assert manager.latest() is None
    for step in (1, 5, 3, 7):
        manager.save(step)
    assert manager.steps() == [7, 5]
    assert sorted(os.listdir(tmp_path)) == ["00000005", "00000007"]
    everything = CheckpointManager(tmp_path / "all", keep=0, piece=Piece(1))
    for step in range(6):
        everything.save(step)
    assert everything.steps() == [5, 4, 3, 2, 1, 0]


def test_a_step_may_be_saved_again(tmp_path):
    piece = Piece(1)
    manager = CheckpointManager(tmp_path, keep=1, piece=piece)
    manager.save(3)
    piece.value = 2
    manager.save(3)
    piece.value = 0
    assert manager.restore(3).step == 3
    assert piece.value == 2
    assert manager.steps() == [3]


@pytest.mark.plugins
def test_values_and_pieces_come_back(tmp_path):
    net, piece = gluon.nn.Dense(2, in_units=3), Piece([1, 2])
    net.initialize()
    manager = CheckpointManager(tmp_path, net=net, piece=piece)
    manager.save(4, epoch=2, best=0.5, names=["a"])
    weight = net.weight.data().asnumpy()
    net.weight.set_data(nd.zeros((2, 3)))
    piece.value = None
    found = manager.restore()
    assert (found.step, found.values) == (4, {"epoch": 2, "best": 0.5, "names": ["a"]})
    assert found.path == str(tmp_path / "00000004")
    assert (net.weight.data().asnumpy() == weight).all()
    assert piece.value == [1, 2]


@pytest.mark.plugins
def test_a_module_is_a_piece(tmp_path):
    out = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")
    net = opforge.mod.Module(
        sym.LinearRegressionOutput(out, sym.var("label")), label_names=["label"]
    )
    net.bind([("data", (1, 3))], [("label", (1, 2))])
    net.init_params()
    net.init_optimizer()
    manager = CheckpointManager(tmp_path, wait=True, net=net)
    manager.save(1)
    assert {"net.params", "net.states"} < set(os.listdir(tmp_path / "00000001"))
    before = net.get_params()[0]["fc_weight"].asnumpy()
    net.set_params({"fc_weight": nd.zeros((2, 3)), "fc_bias": nd.zeros((2,))}, {})
    manager.restore()
    assert (net.get_params()[0]["fc_weight"].asnumpy() == before).all()


def damage_length(path):
    (path / "piece.state").write_bytes(b"")


def damage_byte(path):
    file = path / "piece.state"
    text = bytearray(file.read_bytes())
    text[len(text) // 2] ^= 1
    file.write_bytes(text)


def damage_absence(path):
    (path / "piece.state").unlink()


def damage_manifest(path):
    (path / "manifest.json").write_text('{"checkpoint": ')


def damage_values(path):
    text = (path / "manifest.json").read_text()
    (path / "manifest.json").write_text(text.replace('"step": 2', '"step": 3'))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (damage_length, r"piece\.state is damaged: got 0 bytes"),
        (damage_byte, r"piece\.state is damaged: got"),
        (damage_absence, r"piece\.state cannot be read"),
        (damage_manifest, r"manifest\.json cannot be read"),
        (damage_values, r"manifest\.json was changed"),
    ],
)
def test_the_newest_whole_one_is_taken(tmp_path, caplog, damage, message):
    piece = Piece(1)
    manager = CheckpointManager(tmp_path, piece=piece)
    manager.save(1)
    piece.value = 2
    manager.save(2)
    manager.wait()
    damage(tmp_path / "00000002")
    with pytest.raises(MXNetError, match=message):
        manager.restore(2)
    assert piece.value == 2
    with caplog.at_level(logging.WARNING):
        assert manager.restore().step == 1
    assert piece.value == 1
    assert "using an older checkpoint" in caplog.messages[0]
    piece.value = 3
    manager.save(2)  # the damaged one's step
    piece.value = 0
    assert manager.restore().step == 2
    assert piece.value == 3


def test_damaged_checkpoints_raise_instead_of_restarting(tmp_path):
    manager = CheckpointManager(tmp_path, piece=Piece(1))
    for step in (1, 2):
        manager.save(step)
    manager.wait()
    for folder in tmp_path.iterdir():
        damage_byte(folder)
    with pytest.raises(MXNetError, match=r"no intact checkpoint") as caught:
        manager.restore()
    assert str(caught.value).count("piece.state is damaged") == 2
    with pytest.raises(MXNetError, match=r"step 9; its steps are \[2, 1\]"):
        manager.restore(9)


def test_a_piece_that_was_not_saved_is_named(tmp_path):
    CheckpointManager(tmp_path, piece=Piece(1), wait=True).save(1)
    with pytest.raises(MXNetError, match=r"has no other; it has .*piece\.state"):
        CheckpointManager(tmp_path, other=Piece(1)).restore()


def test_folders_that_were_not_finished_are_none(tmp_path):
    (tmp_path / "00000009").mkdir()
    (tmp_path / "00000009" / "piece.state").write_bytes(b"torn")
    (tmp_path / "notes").mkdir()
    manager = CheckpointManager(tmp_path, piece=Piece(1))
    assert manager.restore() is None
    manager.save(1)
    manager.wait()
    assert sorted(os.listdir(tmp_path)) == ["00000001", "notes"]


def test_background_errors_are_raised(tmp_path, monkeypatch):
    manager = CheckpointManager(tmp_path, piece=Piece(1))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("opforge.checkpoint.manager.finish_folder", full)
    manager.save(1)
    with pytest.raises(OSError, match="No space left"):
        manager.wait()
    monkeypatch.undo()
    assert manager.steps() == []
    manager.save(2)
    assert manager.steps() == [2]
    nd.waitall()  # what was raised once is not raised again


@pytest.mark.plugins
def test_parameters_may_change_at_once(tmp_path, monkeypatch):
    from opforge.checkpoint import manager as module

    net = gluon.nn.Dense(2, in_units=3)
    net.initialize()
    go = threading.Event()
    finish = module.finish_folder
    monkeypatch.setattr(module, "finish_folder", lambda *a: go.wait() and finish(*a))
    manager = CheckpointManager(tmp_path, net=net)
    weight = net.weight.data().asnumpy()
    manager.save(1)
    net.weight.set_data(nd.zeros((2, 3)))
    go.set()
    manager.restore()
    assert (net.weight.data().asnumpy() == weight).all()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda folder: CheckpointManager(folder, keep=-1), ValueError),
        (lambda folder: CheckpointManager(folder, net=3), TypeError),
        (lambda folder: CheckpointManager(folder).save(-1), ValueError),
        (lambda folder: CheckpointManager(folder).save(True), ValueError),
        (lambda folder: CheckpointManager(folder).save(1, value=object()), TypeError),
    ],
)
def test_invalid_arguments_raise_and_write_nothing(tmp_path, call, error):
    with pytest.raises(error):
        call(tmp_path)
    assert not list(tmp_path.iterdir())


KILLED = """
import os, random, signal, sys
sys.path.insert(0, {tests!r})
import programs

folder, log, seed = sys.argv[1:]
left = random.Random(int(seed)).randrange(1, 150) if int(seed) >= 0 else 0
names = {{"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.listdir"}}

def count(event, arguments):
    global left
    if event in names and arguments and str(arguments[0]).startswith(folder):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

training = programs.Training(folder)
with open(log, "a", buffering=1) as file:
    sys.addaudithook(count)
    training.run(lambda step, bits: file.write(f"{{step}} {{bits}}\\n"))
"""


@pytest.mark.plugins
def test_a_killed_training_goes_on_with_the_same_numbers(tmp_path, whole, stress):
    """SIGKILL before a file operation, one of all that a training with checkpoints makes."""
    kills = 2 if stress == 1 else 50
    code = KILLED.format(tests=str(Path(__file__).parent))
    command = [sys.executable, "-c", code, str(tmp_path / "run"), str(tmp_path / "log")]
    ends = []
    for seed in [*range(kills), -1]:
        done = subprocess.run([*command, str(seed)], capture_output=True, text=True)
        assert done.returncode in (0, -9), done.stderr
        ends.append(done.returncode)
        lines = (tmp_path / "log").read_text().splitlines()
        for line in lines:
            step, bits = line.split()
            assert whole[int(step)] == bits
        if done.returncode == 0:  # begin another one
            assert f"{STEPS} " in "\n".join(lines)
            assert next(listed_folders(str(tmp_path / "run")))[0] == STEPS
            shutil.rmtree(tmp_path / "run")
    assert -9 in ends and ends[-1] == 0
