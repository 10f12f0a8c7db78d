"""Tests of the command line, run as a user runs it: in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

DISTRIBUTIONS = Path(__file__).parents[2] / "fixtures" / "distributions"


@pytest.fixture
def opforge(monkeypatch):
    """Return a function that runs ``opforge`` with fake distributions installed."""
    for name in ("OPFORGE_PLUGINS", "OPFORGE_PIN", "OPFORGE_STRICT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPFORGE_CONFIG", os.devnull)

    def run(*arguments, installed=(), code=0):
        places = [str(DISTRIBUTIONS / name.replace("-", "_")) for name in installed]
        path = os.pathsep.join([*places, *filter(None, sys.path)])
        script = (
            "import sys\nfrom opforge.cli import main\n"
            "try:\n    main()\n"
            "finally:\n"
            "    imported = sorted(n for n in sys.modules if n.startswith('fx_'))\n"
            "    print('IMPORTED', imported, file=sys.stderr)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, *arguments],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        assert done.returncode == code, done.stderr
        return done

    return run


def rows_of(done, prefix="fx"):
    return [row for row in json.loads(done.stdout) if row["plugin"].startswith(prefix)]


def test_ops_lists_without_import(opforge):
    done = opforge("ops", "--json", installed=["fx-good", "fx-kills"])
    assert "IMPORTED []" in done.stderr
    rows = {row["name"]: row for row in rows_of(done)}
    assert rows["fx_shift"] == {
        "name": "fx_shift",
        "kind": "operator",
        "arguments": ["data", "offset"],
        "outputs": ["output"],
        "plugin": "fx-good",
        "version": "1.0",
        "state": "not loaded",
        "doc": "Add an offset to data.",
    }
    assert rows["FxLayer"]["kind"] == "layer"
    assert rows["fx_kill"]["doc"] == ""


def test_ops_table(opforge):
    done = opforge("ops", installed=["fx-good"])
    line = next(line for line in done.stdout.splitlines() if line.startswith("fx_shift"))
    assert "data, offset" in line
    assert "Add an offset to data." in line


def test_show(opforge):
    shown = opforge("ops", "show", "fx_scale", installed=["fx-good"])
    assert "factor  float, optional, default=2.0, factor > 0  The factor." in shown.stdout
    assert "fx-good 1.0 (not loaded)" in shown.stdout
    assert "IMPORTED []" in shown.stderr
    row = json.loads(opforge("ops", "show", "fx_scale", "--json", installed=["fx-good"]).stdout)
    assert row["attributes"][0]["name"] == "factor"
    assert row["file"].endswith("fx_good.py:6")


def test_show_two_providers(opforge):
    shown = opforge("ops", "show", "fx_scale", installed=["fx-good", "fx-rival"])
    assert "OPFORGE_PIN=fx_scale=fx-good or OPFORGE_PIN=fx_scale=fx-rival" in shown.stdout
    one = opforge("ops", "show", "fx-rival::fx_scale", "--json", installed=["fx-good", "fx-rival"])
    assert json.loads(one.stdout)["version"] == "2.5"


def test_show_unknown(opforge):
    done = opforge("ops", "show", "no_such_operator", code=1)
    assert "no enabled plugin provides the operator 'no_such_operator'" in done.stderr


def test_plugins(opforge):
    done = opforge("plugins", "--json", installed=["fx-good", "fx-syntax"])
    good, torn = rows_of(done)
    assert (good["state"], good["operators"][-1], good["problems"]) == (
        "not loaded",
        "fx_shift",
        [],
    )
    assert "SyntaxError" in torn["problems"][0]
    assert "IMPORTED []" in done.stderr


def test_plugins_check_shows_tracebacks(opforge):
    done = opforge("plugins", "--check", installed=["fx-good", "fx-import-error"], code=1)
    assert "libmissing.so.3 was not found" in done.stdout
    assert 'raise ImportError("libmissing.so.3 was not found")' in done.stdout


def test_disabled_plugins_are_shown_as_such(opforge, monkeypatch):
    monkeypatch.setenv("OPFORGE_PLUGINS", "none")
    done = opforge("plugins", "--check", "--json", installed=["fx-kills"])
    assert rows_of(done)[0]["state"] == "disabled"
