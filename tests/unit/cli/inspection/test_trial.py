"""Tests of plugins loaded in another process."""

import pytest

from opforge.cli.inspection.trial import try_plugins


def test_each_has_its_row_and_the_dead_are_named(with_plugins):
    names = ["fx-good", "fx-kills", "fx-prints", "fx-import-error", "fx-drift", "fx-exits"]
    with_plugins(*names)
    rows = try_plugins(names)
    states = {name: row["state"] for name, row in rows.items()}
    assert states == {
        "fx-good": "loaded",
        "fx-kills": "failed",
        "fx-prints": "loaded",
        "fx-import-error": "failed",
        "fx-drift": "failed",
        "fx-exits": "failed",
    }
    assert rows["fx-kills"]["error"] == "loading it ended the process with status 9"
    assert rows["fx-prints"]["printed"] == "Thank you for using fx-prints!\nand from below\n"
    assert "libmissing.so.3" in rows["fx-import-error"]["error"]
    assert "raise ImportError" in rows["fx-import-error"]["traceback"]
    assert rows["fx-drift"]["problems"]
    assert rows["fx-good"]["seconds"] > 0


def test_signals_and_silence(with_plugins, tmp_path, monkeypatch):
    for name, body in (
        ("aborts", "import os\nos.abort()"),
        ("sleeps", "import threading\nthreading.Event().wait(60)"),
    ):
        info = tmp_path / f"fx_{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: fx-{name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[opforge]\n{name} = fx_{name}\n")
        (tmp_path / f"fx_{name}.py").write_text(body)
    with_plugins()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    aborts = try_plugins(["fx-aborts"])["fx-aborts"]
    assert aborts["error"] == "loading it ended the process with SIGABRT"
    sleeps = try_plugins(["fx-sleeps"], time_limit=1)["fx-sleeps"]
    assert sleeps["error"] == "not loaded after 1 s"


def test_missing_plugins_are_reported():
    assert try_plugins([]) == {}
    assert try_plugins(["fx-none"])["fx-none"]["error"] == "not installed"


@pytest.mark.parametrize("value", ["0", "1"])
def test_strict_mode_is_not_for_trials(with_plugins, monkeypatch, value):
    with_plugins("fx-import-error")
    monkeypatch.setenv("OPFORGE_STRICT", value)
    assert try_plugins(["fx-import-error"])["fx-import-error"]["state"] == "failed"
