"""Fixtures of the tests of native code."""

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from opforge.native.threads import cpu


@pytest.fixture(scope="session")
def instruction_sets():
    """Names of those that the processor has and kernels are built for: one in sanitizer builds."""
    return [n for n in cpu.supported() if find_spec(f"opforge.native.kernels.{n}.elementwise")]


@pytest.fixture(scope="session")
def run_on():
    """Function that runs a file as a program on an instruction set, and returns what it prints."""

    def run(isa, file):
        return subprocess.run(
            [sys.executable, file],
            env={**os.environ, "OPFORGE_ISA": isa},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    return run
