"""Fixtures of the tests of native code."""

from importlib.util import find_spec

import pytest

from opforge.native.threads import cpu


@pytest.fixture(scope="session")
def instruction_sets():
    """Names of those that the processor has and kernels are built for: one in sanitizer builds."""
    return [n for n in cpu.supported() if find_spec(f"opforge.native.kernels.{n}.elementwise")]
