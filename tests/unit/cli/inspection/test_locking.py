"""Tests of the entries of lock files and of differences from them."""

from importlib.metadata import PackagePath

import pytest

from opforge.base.errors import PluginError
from opforge.base.instruction_sets import ISA_FLAGS
from opforge.base.version import VERSION
from opforge.cli.inspection import locking
from opforge.plugin.discovery import Provider
from opforge.plugin.lock_file import LockedPlugin, lock_text

RECORD = f"sha256:{'1' * 64}"


@pytest.fixture
def world(monkeypatch):
    """Return the states of files and results of loading, by distribution, that are found."""
    files = {"opforge": "unchanged", "acme-ops": "unchanged"}
    loads = {"acme-ops": {"state": "loaded", "native_interface": "2.1", "error": ""}}
    provider = Provider("acme-ops", "1.5")
    monkeypatch.setattr(locking, "_providers", lambda: {"acme-ops": provider})
    monkeypatch.setattr(locking, "try_plugins", lambda names, limit: loads)
    monkeypatch.setattr(locking, "_instruction_sets", lambda name: ("baseline",))
    monkeypatch.setattr(
        locking,
        "verify_files",
        lambda each: {"version": each.version, "state": files[each.name], "record": RECORD},
    )
    return files, loads


def test_entries(world):
    assert locking.locked_plugins() == [
        LockedPlugin("opforge", VERSION, RECORD, "", ("baseline",)),
        LockedPlugin("acme-ops", "1.5", RECORD, "2.1", ("baseline",)),
    ]


def test_contents_of_editable_installations_are_not_locked(world):
    world[0]["acme-ops"] = "editable"
    assert [each.record for each in locking.locked_plugins()] == [RECORD, ""]


@pytest.mark.parametrize(
    ("state", "remedy"), [("changed", "--force-reinstall --no-deps"), ("no record", "RECORD")]
)
def test_other_files_are_not_locked(world, state, remedy):
    world[0]["acme-ops"] = state
    with pytest.raises(PluginError, match=rf"acme-ops cannot be locked \({state}\).*{remedy}"):
        locking.locked_plugins()


def test_plugins_that_cannot_be_loaded_are_not_locked(world):
    world[1]["acme-ops"] = {"state": "failed", "error": "ImportError: no"}
    with pytest.raises(PluginError, match="acme-ops cannot be locked: ImportError: no"):
        locking.locked_plugins()


def test_differences_of_all_that_is_locked_or_installed(world, tmp_path, monkeypatch):
    locked = {
        "opforge": LockedPlugin("opforge", VERSION),
        "acme-old": LockedPlugin("Acme_Old", "1"),
    }
    path = tmp_path / "opforge.lock"
    path.write_text(lock_text(locked.values()))
    found = {"opforge": "", "acme-old": "not installed"}
    monkeypatch.setattr(
        locking,
        "difference",
        lambda each: found[each.name.lower().replace("_", "-")] if each else "not in the lock file",
    )
    assert locking.lock_differences(path) == {
        "Acme_Old": "not installed",
        "acme-ops": "not in the lock file",
    }


def test_instruction_sets_are_those_of_native_modules(monkeypatch):
    files = ["acme/_native_x86_64_v4.so", "acme/baseline/sums.so", "acme/not_a_baseline_x.py"]
    monkeypatch.setattr(locking, "distribution", lambda name: name)
    monkeypatch.setattr(locking, "listed_files", lambda found: [PackagePath(f) for f in files])
    sets = [each for each in ISA_FLAGS if each in ("baseline", "x86_64_v4")]
    assert locking._instruction_sets("acme-ops") == tuple(sets)
