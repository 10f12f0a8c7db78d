"""The program of the guide on checkpoints resumes with the results of an uninterrupted run."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.plugins
PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "resume_a_training.md"


def test_an_interrupted_run_ends_like_an_uninterrupted_one(tmp_path):
    page = PAGE.read_text(encoding="utf-8")
    program = re.search(r"^:caption: train.py\n(.+?)^```$", page, re.MULTILINE | re.DOTALL)[1]
    (tmp_path / "train.py").write_text(program, encoding="utf-8")

    def train(**environment):
        done = subprocess.run(
            [sys.executable, "train.py"],
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout + done.stderr

    assert train(STOP_AT="5") == "start at step 0\ninterrupted\n"
    begin, resumed = train().splitlines()
    assert begin == "start at step 5"
    shutil.rmtree(tmp_path / "runs")
    begin, uninterrupted = train().splitlines()
    assert begin == "start at step 0"
    assert resumed == uninterrupted
    assert re.fullmatch(r"step 12, loss 0\.\d{6}", resumed)
