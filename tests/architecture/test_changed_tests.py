"""`run.py test --changed` finds the tests that a change reaches."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script():
    path = ROOT / "scripts" / "changed_tests.py"
    spec = importlib.util.spec_from_file_location("changed_tests", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("changed", "reached", "not_reached"),
    [
        ("core/opforge/io/ndarray_iter.py", "tests/unit/io/test_ndarray_iter.py", "tests/abi"),
        ("core/opforge/native/kernels/tiling.h", "tests/unit/native", "tests/docs"),
        ("core/opforge/include/opforge/abi.h", "tests/abi", "tests/docs"),
        ("plugins/opforge-softmax/pyproject.toml", "plugins/opforge-softmax/tests", "tests/unit"),
        ("plugins/opforge-tile/src/opforge_tile/x.c", "plugins/opforge-tile/tests", "tests/unit"),
        ("tests/unit/test_random.py", "tests/unit/test_random.py", "tests/unit/io"),
        ("tests/unit/plugin/conftest.py", "tests/unit/plugin", "tests/unit/io"),
        ("docs/howto/tune.md", "tests/docs", "tests/unit"),
        ("tests/unit/test_removed.py", "tests/architecture", "tests/unit/test_removed.py"),
    ],
)
def test_tests_of_a_changed_file(script, changed, reached, not_reached):
    found = script.tests_reached([changed])
    assert reached in found
    assert not_reached not in found
    assert "tests/architecture" in found
    assert all((ROOT / path).exists() for path in found)


def test_modules_that_import_a_changed_one_are_reached(script):
    sources = script.all_sources()
    found = script.reached_modules(sources, ["core/opforge/io/iterator.py"])
    assert {"opforge.io.iterator", "opforge.io.ndarray_iter"} <= found
    assert "opforge.io" not in found  # it only re-exports names
    assert "opforge.base.errors" not in found


def test_new_and_changed_files_are_found(script, monkeypatch, tmp_path):
    monkeypatch.setattr(script, "ROOT", tmp_path)
    settings = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    script.git("init", "-q", "-b", "main")
    (tmp_path / "kept").write_text("1")
    (tmp_path / "changed").write_text("1")
    script.git("add", ".")
    script.git(*settings, "commit", "-qm", "Start")
    (tmp_path / "changed").write_text("2")
    (tmp_path / "new").write_text("3")
    assert script.changed_files(None) == ["changed", "new"]
    assert script.changed_files("HEAD") == ["changed", "new"]
