"""Whether pictures can be drawn; the pictures themselves are tested in tests/benchmarks."""

import subprocess
import sys
import types

import pytest
from opforge_tools.benchmarks import charts


@pytest.mark.parametrize("is_installed", [False, True])
def test_it_depends_on_matplotlib(monkeypatch, is_installed):
    asked = []
    spec = types.SimpleNamespace() if is_installed else None
    monkeypatch.setattr("importlib.util.find_spec", lambda name: asked.append(name) or spec)
    assert charts.can_draw() is is_installed
    assert asked == ["matplotlib"]


def test_importing_the_module_does_not_need_it():
    program = (
        "import sys; from opforge_tools.benchmarks import charts; "
        "sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
