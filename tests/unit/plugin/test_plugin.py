"""The package itself: effects of importing it."""

import os
import subprocess
import sys
from pathlib import Path

from opforge import plugin

DISTRIBUTIONS = Path(__file__).parents[2] / "fixtures" / "distributions"


def test_load_all_goes_on_after_a_failure(installed):
    installed("fx-good", "fx-import-error", "fx-rival")
    found = {state.provider.name: state.state for state in plugin.load_all()}
    assert found["fx-import-error"] == "failed"
    assert found["fx-good"] == found["fx-rival"] == "loaded"


def test_importing_the_package_loads_nothing():
    code = (
        "import sys, opforge, opforge.plugin\n"
        "heavy = {'pluggy', 'typer', 'rich', 'importlib.metadata', 'fx_good'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    path = os.pathsep.join([*sys.path, str(DISTRIBUTIONS / "fx_good")])
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": path})
