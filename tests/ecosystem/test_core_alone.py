"""The core's own tests need no plugin."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

UNIT = Path(__file__).resolve().parents[1] / "unit"
#: Tests of kernels, processes and speed do not use plugins and take most of the time.
LEFT_OUT = ("native", "gluon/data", "benchmarks")


def test_unit_tests_pass_without_plugins(bare):
    chosen = ["-m", "not plugins", *(f"--ignore={UNIT / name}" for name in LEFT_OUT)]
    done = bare.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen, UNIT)
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 3_000
    # No test is skipped because a plugin is missing.
    assert "opforge-" not in done.stdout


def test_it_is_the_core_alone(bare):
    code = (
        "import opforge; from importlib.metadata import entry_points\n"
        "print(opforge.__file__, sorted(entry_points(group='opforge')))"
    )
    path, plugins = bare.python(code).split(maxsplit=1)
    assert Path(path).is_relative_to(bare.folder)
    assert plugins == "[]\n"
