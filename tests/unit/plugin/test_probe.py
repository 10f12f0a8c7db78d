"""Trials of native plugins: the cache of their results, and inconclusive trials.

Plugins that do crash are in tests/abi/test_crashes.py.
"""

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from opforge.base.errors import PluginError
from opforge.plugin import probe
from opforge.plugin.discovery import Provider, discover

PROVIDER = Provider("Acme_Ops", "1.0", {"acme": "acme"}, {"operator": {}, "layer": {}})


@pytest.fixture
def trials(monkeypatch, tmp_path):
    """Processes started for a plugin with one native file, and their exit statuses."""
    started = []
    native = tmp_path / "acme.so"
    native.write_bytes(b"code")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("OPFORGE_PROBE", "1")
    monkeypatch.setattr(probe, "native_files", lambda provider: [native])
    found = SimpleNamespace(started=started, native=native, returncode=-11, stderr=b"a trace")

    def run(command, **options):
        started.append((command, options))
        if isinstance(found.stderr, Exception):
            raise found.stderr
        return SimpleNamespace(returncode=found.returncode, stderr=found.stderr)

    monkeypatch.setattr(subprocess, "run", run)
    return found


def test_a_plugin_without_native_files_starts_nothing(trials, monkeypatch):
    monkeypatch.setattr(probe, "native_files", lambda provider: [])
    probe.check(PROVIDER)
    assert not trials.started and not Path(probe.results_file()).exists()


def test_a_crash_is_kept_with_its_trace(trials):
    for _ in range(2):
        with pytest.raises(PluginError, match=r"Acme_Ops 1.0 is in quarantine.* SIGSEGV") as caught:
            probe.check(PROVIDER)
        assert str(caught.value.__cause__) == "a trace"
    assert len(trials.started) == 1
    (error, trace) = probe.quarantined([PROVIDER])["acme-ops"]
    assert "OPFORGE_PROBE=0" in error and trace.startswith("a trace\n\nAcme_Ops 1.0 is in")


def test_changed_files_and_versions_are_retried(trials):
    with pytest.raises(PluginError):
        probe.check(PROVIDER)
    trials.returncode, trials.stderr = 0, b"a warning\nopforge: the trial ended\n"
    trials.native.write_bytes(b"other")
    assert not probe.quarantined([PROVIDER])
    probe.check(PROVIDER)
    probe.check(PROVIDER)
    assert len(trials.started) == 2
    probe.check(Provider("acme-ops", "1.1", PROVIDER.modules, PROVIDER.provides))
    assert len(trials.started) == 3


def test_a_process_that_ends_early_did_not_load_it(trials):
    trials.returncode = 0
    with pytest.raises(PluginError, match="ended it with status 0"):
        probe.check(PROVIDER)


@pytest.mark.parametrize("error", [OSError("no processes"), subprocess.TimeoutExpired("python", 1)])
def test_inconclusive_trials_are_not_stored(trials, error):
    trials.stderr = error
    probe.check(PROVIDER)
    assert not Path(probe.results_file()).exists()


def test_the_process_does_not_try_in_turn(trials):
    with pytest.raises(PluginError):
        probe.check(PROVIDER)
    assert trials.started[0][1]["env"]["OPFORGE_PROBE"] == "0"


def test_the_switch_turns_it_off(trials, monkeypatch):
    with pytest.raises(PluginError):
        probe.check(PROVIDER)
    monkeypatch.setenv("OPFORGE_PROBE", "0")
    probe.check(PROVIDER)
    assert not probe.quarantined([PROVIDER]) and len(trials.started) == 1


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": 1}', '{"a": {"plugin": "acme-ops"}}'])
def test_a_damaged_file_counts_as_empty(trials, text):
    path = Path(probe.results_file())
    path.parent.mkdir(parents=True)
    path.write_text(text)
    trials.returncode, trials.stderr = 0, b"opforge: the trial ended"
    assert not probe.quarantined([PROVIDER])
    probe.check(PROVIDER)
    (row,) = json.loads(path.read_text()).values()
    assert (row["plugin"], row["fate"]) == ("acme-ops", "")


def test_unwritable_cache_folder_is_ignored(trials, tmp_path):
    (tmp_path / "cache").write_text("a file, no folder")
    trials.returncode, trials.stderr = 0, b"opforge: the trial ended"
    probe.check(PROVIDER)
    probe.check(PROVIDER)
    assert len(trials.started) == 2


def test_the_cache_folder_follows_the_specification(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert probe.results_file() == "/elsewhere/opforge/trials.json"
    for value in ("", "not/absolute"):
        monkeypatch.setenv("XDG_CACHE_HOME", value)
        assert Path(probe.results_file()).parts[-3:] == (".cache", "opforge", "trials.json")


def test_native_files_are_read_from_metadata(installed):
    installed("fx-good")
    assert probe.native_files(Provider("fx-good", "1.0")) == []
    assert probe.native_files(Provider("no-such-distribution", "1.0")) == []
    found = probe.native_files(Provider("numpy", "2"))
    assert found and all(path.is_file() and ".so" in path.name for path in found)


@pytest.mark.plugins
def test_native_files_of_a_plugin_that_is_installed_for_development(
    tmp_path, monkeypatch, write_metadata
):
    package = tmp_path / "src" / "acme_devel"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise SystemExit('this ran')")
    (package / "_native.cpython-311-x86_64-linux-gnu.so").write_bytes(b"code")
    points = {"opforge": {"devel": "acme_devel"}}
    write_metadata(tmp_path / "site", "acme-devel", "1.0", points, tmp_path)
    for place in ("site", "src"):
        monkeypatch.syspath_prepend(str(tmp_path / place))
    (found,) = probe.native_files(discover()["acme-devel"])
    assert found.parent == package
