"""The plugin of mypy writes the stubs that mypy then reads."""

import os
import subprocess
import sys
import sysconfig

import pytest

pytest.importorskip("mypy")

from opforge_tools import mypy_plugin

PROGRAM = """
from opforge import nd

nd.tile(nd.ones(2), reps="one")
nd.tile(nd.ones(2), times=2)
"""


def test_stubs_are_written_once(tmp_path, monkeypatch):
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path / name))
    mypy_plugin.plugin("1.0")
    page = tmp_path / "purelib" / "opforge-stubs" / "ndarray" / "op.pyi"
    assert "def tile(" in page.read_text()
    page.write_text("stale")
    before = page.with_name("__init__.pyi").stat().st_mtime_ns
    mypy_plugin.plugin("1.0")
    assert "def tile(" in page.read_text()
    assert page.with_name("__init__.pyi").stat().st_mtime_ns == before


def test_a_folder_that_cannot_be_written_to(tmp_path, monkeypatch, capsys):
    (tmp_path / "purelib").write_text("a file")
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path / name))
    assert mypy_plugin.plugin("1.0")
    assert "the stubs are not updated" in capsys.readouterr().err


@pytest.mark.plugins
def test_mypy_sees_the_operators_of_plugins(tmp_path):
    """mypy finds stubs that did not exist when it was started."""
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "enable.py").write_text(
        "import sysconfig\n"
        f"sysconfig.get_path = lambda name, *args, **kwargs: {str(tmp_path / 'stubs')!r}\n"
        "from opforge_tools.mypy_plugin import plugin as plugin\n"
    )
    (tmp_path / "mypy.ini").write_text("[mypy]\nplugins = ./enable.py\n")
    (tmp_path / "stubs").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "program.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "stubs")},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert 'incompatible type "str"' in done.stdout, done.stdout + done.stderr
    assert 'Unexpected keyword argument "times"' in done.stdout
