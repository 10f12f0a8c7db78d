"""Fixtures of the command line's tests: ``opforge`` run as a user runs it, with fake plugins."""

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
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run


@pytest.fixture
def with_plugins(monkeypatch):
    """Return a function that makes fake distributions visible to this process and its children."""
    from opforge import plugin

    for name in ("OPFORGE_PLUGINS", "OPFORGE_PIN", "OPFORGE_STRICT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPFORGE_CONFIG", os.devnull)

    def install(*names):
        places = [str(DISTRIBUTIONS / name.replace("-", "_")) for name in names]
        for place in reversed(places):
            monkeypatch.syspath_prepend(place)
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([*places, *filter(None, sys.path)]))
        plugin.refresh()

    yield install
    monkeypatch.undo()
    plugin.refresh()
