"""`scripts/package_tests.py` finds the unit tests of a package."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script():
    path = ROOT / "scripts" / "package_tests.py"
    spec = importlib.util.spec_from_file_location("script_package_tests", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("package", ["kvstore", "gluon/data", "random"])
def test_a_package_has_tests(script, package):
    assert script.tests_of(package)


def test_an_unknown_package_is_reported_with_the_known_ones(script):
    with pytest.raises(SystemExit, match=r"no tests of kvstor; packages are autograd.*kvstore"):
        script.main(["kvstor", "-x"])


def test_the_core_is_built_and_options_are_passed_on(script, monkeypatch):
    commands = []
    monkeypatch.setattr(script, "run", lambda *words: commands.append(words) or 0)
    monkeypatch.setattr(script.importlib.util, "find_spec", lambda name: object())
    assert script.main(["kvstore", "-x"]) == 0
    build, tests = commands
    assert "build_ext" in build
    assert (script.UNIT / "kvstore") in tests
    assert tests[-1] == "-x"
