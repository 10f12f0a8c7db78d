"""Tests of ``opforge lock``, run as users run it, in a separate process."""

import json

from opforge.plugin.lock_file import LockedPlugin, lock_text


def test_plugins_without_a_record_are_not_locked(opforge, tmp_path):
    path = tmp_path / "opforge.lock"
    done = opforge("lock", "-o", str(path), installed=["fx-good"], code=1)
    assert "fx-good cannot be locked (no record)" in done.stderr
    assert not path.exists()


def test_check_compares_versions(opforge, tmp_path):
    path = tmp_path / "opforge.lock"
    for version in ("1.0", "0.9"):
        path.write_text(lock_text([LockedPlugin("fx-good", version)]))
        done = opforge("lock", "check", str(path), "--json", installed=["fx-good"], code=1)
        found = json.loads(done.stdout)
        assert found["opforge"] == "not in the lock file"
        assert found.get("fx-good", "") == (
            "" if version == "1.0" else "version 1.0 is installed, 0.9 is locked"
        )
    text = opforge("lock", "check", str(path), installed=["fx-good"], code=1).stdout
    assert "fx-good: version 1.0 is installed, 0.9 is locked" in text


def test_check_of_a_missing_file(opforge, tmp_path):
    done = opforge("lock", "check", str(tmp_path / "none.lock"), code=1)
    assert "cannot be read" in done.stderr and "`opforge lock` writes one" in done.stderr
