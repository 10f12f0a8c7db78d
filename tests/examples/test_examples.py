"""Every example runs as a reader would start it, and reaches the results that it promises."""

import gzip
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

BIN = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name, *arguments, processes=0):
    launcher = [shutil.which("mpiexec", path=BIN), "-n", str(processes)] if processes else []
    done = subprocess.run(
        [*launcher, sys.executable, "-W", "error", str(EXAMPLES / name), *arguments],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done


def accuracy_of(done):
    match = re.fullmatch(r"test accuracy: (0\.\d+|1\.0+)", done.stdout.splitlines()[-1])
    assert match, done.stdout
    return float(match[1])


@pytest.fixture
def stripes(tmp_path):
    """A folder of IDX files whose ten classes are bright rows at ten heights, with noise."""
    rng = np.random.default_rng(0)
    for stem, n in (("train", 2000), ("t10k", 500)):
        label_n = rng.integers(0, 10, n).astype(np.uint8)
        x_nhw = rng.integers(0, 128, (n, 28, 28)).astype(np.uint8)
        x_nhw[np.arange(n), 2 * label_n + 4] += 100
        for name, magic, data in (
            (f"{stem}-images-idx3-ubyte.gz", 2051, x_nhw),
            (f"{stem}-labels-idx1-ubyte.gz", 2049, label_n),
        ):
            header = struct.pack(f">{1 + data.ndim}I", magic, *data.shape)
            (tmp_path / name).write_bytes(gzip.compress(header + data.tobytes(), 1))
    return tmp_path


def test_digits():
    done = run("digits.py")
    assert accuracy_of(done) >= 0.95
    assert "softmax" in done.stdout
    assert "training: 100%" in done.stderr


def test_digits_are_repeatable():
    first, second = (run("digits.py", "--epochs", "2") for _ in range(2))
    assert first.stdout == second.stdout


def test_mnist(stripes):
    assert accuracy_of(run("mnist.py", "--data", str(stripes), "--epochs", "3")) > 0.9


def test_custom_operator():
    done = run("custom_operator.py")
    assert "agrees with finite differences" in done.stdout


def test_record_files(tmp_path):
    done = run("record_files.py", "--epochs", "4", "--sheet", str(tmp_path / "sheet.png"))
    assert accuracy_of(done) >= 0.85
    assert "waits=" in done.stderr
    assert (tmp_path / "sheet.png").stat().st_size > 1000


def test_ssd():
    done = run("ssd.py", "--steps", "150")
    precision = re.fullmatch(r"mean average precision: (0\.\d+)\n", done.stdout)
    assert precision and float(precision[1]) > 0.4
    assert "150/150" in done.stderr


def test_lenet(stripes):
    done = run("lenet.py", "--data", str(stripes), "--epochs", "2")
    assert accuracy_of(done) >= 0.9
    assert "epoch 2/2: 100%" in done.stderr


def test_lenet_draws_its_predictions(stripes, tmp_path):
    pytest.importorskip("matplotlib", reason="charts need opforge[bench]")
    picture = tmp_path / "lenet.png"
    run("lenet.py", "--data", str(stripes), "--epochs", "1", "--plot", str(picture))
    assert picture.read_bytes().startswith(b"\x89PNG")


def perplexities(done):
    """Return the validation perplexity of each epoch that was run."""
    lines = [line for line in done.stdout.splitlines() if line.startswith("epoch ")]
    return [float(line.rpartition(" ")[2]) for line in lines]


def run_in_parts(name, folder, *arguments):
    """Run a training of two epochs in one go and one resumed after the first; return the former.

    Both must end with the same parameters, bit for bit; dropout is active in both.
    """
    whole, parts = folder / "whole", folder / "parts"
    done = run(name, *arguments, "--checkpoints", str(whole), "--epochs", "2")
    for epochs in ("1", "2"):
        resumed = run(name, *arguments, "--checkpoints", str(parts), "--epochs", epochs)
    assert perplexities(resumed) == perplexities(done)[1:]
    saved = {path.name: path.read_bytes() for path in whole.glob("*.params")}
    assert len(saved) == 2
    assert {path.name: path.read_bytes() for path in parts.glob("*.params")} == saved
    return done


@pytest.mark.parametrize("model", ["lstm", "transformer"])
def test_word_language_model(model, tmp_path):
    small = ["--model", model, "--words", "16000", "--units", "32"]
    done = run_in_parts("word_language_model.py", tmp_path, *small)
    first, last = perplexities(done)
    words = int(re.search(r"(\d+) distinct", done.stdout)[1])
    assert last < first < words  # all words equally likely: their number


def test_bucketing_language_model(tmp_path):
    small = ["--words", "40000", "--units", "32"]
    done = run_in_parts("bucketing_language_model.py", tmp_path, *small)
    words = int(re.search(r"(\d+) distinct words", done.stdout)[1])
    assert max(perplexities(done)) < words / 2


def test_distributed_training_has_the_same_losses_on_any_number_of_processes(libmpi, tmp_path):
    saved = "--checkpoints", str(tmp_path), "--save-every", "7"
    alone = run("distributed.py", "--epochs", "2")
    both = run("distributed.py", "--epochs", "1", *saved, processes=2)
    resumed = run("distributed.py", "--epochs", "2", *saved, "--resume", processes=2)
    numbers = [[float(text) for text in re.findall(r"\d\.\d+", d.stdout)] for d in (alone, resumed)]
    assert len(numbers[0]) == 3
    np.testing.assert_allclose(*numbers, atol=0.005)
    assert both.stdout.splitlines()[0] == resumed.stdout.splitlines()[0]
    assert both.stderr.count("training:   0%") == 1  # one process shows the progress
    assert "training: 100%" in both.stderr


@pytest.mark.parametrize(("task", "expected"), [("table", 0.8), ("images", 0.9), ("tags", 0.99)])
def test_compared_programs(task, expected):
    assert accuracy_of(run(f"comparison/opforge_{task}.py")) > expected
