"""Plugins whose native code crashes: the host survives and reports what happened."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import compile_module

OPERATORS = '''
"""Plugin with a Python operator and a native module."""

from opforge.plugin_api import OperatorProp, hookimpl

from . import _native


class Fine(OperatorProp):
    """Return the input."""

    name = "{name}_fine"

    def compose(self, F, data):
        """Return the input."""
        return data + 0


@hookimpl
def opforge_operators():
    """Return the operator."""
    return [Fine]
'''


def install(compiler, site, name, fate):
    """Install a plugin with a native module, as pip does, and return its module's file."""
    package = site / name
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(OPERATORS.format(name=name))
    built = compile_module(compiler, package, "_native", "crash.c", [f'-DFATE="{fate}"'])
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[opforge]\n{name} = {name}\n[opforge.ops]\n{name}_fine = {name}:Fine\n"
    )
    files = [package / "__init__.py", built, info / "METADATA", info / "entry_points.txt"]
    (info / "RECORD").write_text("".join(f"{path.relative_to(site)},,\n" for path in files))
    return built


@pytest.fixture(scope="module")
def site(c_compiler, tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    for name, fate in (("segv", "segv"), ("aborts", "abort"), ("exits", "exit"), ("good", "none")):
        install(c_compiler, folder, name, fate)
    return folder


@pytest.fixture
def run(site, tmp_path):
    """Return a function that runs a program with the plugins and a separate cache folder."""

    def start(code, **env):
        path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH", "")]))
        return subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": path, "XDG_CACHE_HOME": str(tmp_path), **env},
            capture_output=True,
            text=True,
            check=False,
        )

    return start


USE = """
from opforge import nd
for name in ("segv", "aborts", "exits", "good"):
    try:
        print(name, getattr(nd, f"{name}_fine")(nd.ones((1,))).asscalar())
    except AttributeError as error:
        print(error)
"""


def test_the_host_survives_and_reports_the_crash(run, tmp_path):
    done = run(USE)
    assert done.returncode == 0, done.stderr
    assert "good 1.0" in done.stdout
    for name, fate in (
        ("segv", "ended it with SIGSEGV"),
        ("aborts", "ended it with SIGABRT"),
        ("exits", "ended it with status 7"),
    ):
        assert f"{name} 1.0 is in quarantine: its native code was tried" in done.stdout
        assert f"in a separate process and {fate}; install another version" in done.stdout
    assert "set OPFORGE_PROBE=0" in done.stdout
    assert "Fatal Python error: Segmentation fault" in done.stdout
    assert os.path.join("segv", "__init__.py") in done.stdout, "the traceback shows the import"
    rows = json.loads((tmp_path / "opforge" / "trials.json").read_text()).values()
    fates = {row["plugin"]: bool(row["fate"]) for row in rows}
    assert fates == {"segv": True, "aborts": True, "exits": True, "good": False}


COUNT = """
import subprocess
started = []
subprocess.run = lambda *args, **kwargs: started.append(args)
from opforge import nd, plugin
print({state.provider.name: state.state for state in plugin.states()}["segv"])
print(nd.good_fine(nd.ones((1,))).asscalar())
try:
    nd.segv_fine
except AttributeError as error:
    print(error)
print("started", len(started))
"""


def test_crashing_plugins_are_not_loaded_again(run):
    assert run(USE).returncode == 0
    done = run(COUNT)
    assert done.returncode == 0, done.stderr
    # Quarantined plugins are shown before anything is loaded.
    assert done.stdout.startswith("failed\n1.0\n")
    assert "segv 1.0 is in quarantine" in done.stdout
    assert "Fatal Python error: Segmentation fault" in done.stdout
    assert done.stdout.endswith("started 0\n")


def test_changed_files_are_loaded_again(c_compiler, run, site):
    assert run(USE).returncode == 0
    broken = Path(next((site / "segv").glob("_native*")))
    before = broken.read_bytes()
    broken.unlink()
    try:
        compile_module(c_compiler, site / "segv", "_native", "crash.c", ['-DFATE="none"'])
        done = run(USE)
        assert done.returncode == 0 and "segv 1.0\n" in done.stdout, done.stdout
    finally:
        broken.write_bytes(before)


def test_the_switch_disables_quarantine(run):
    assert run(USE, OPFORGE_PROBE="0").returncode < 0
    assert run(USE, OPFORGE_PLUGINS="good", OPFORGE_PROBE="0").returncode == 0


def test_the_command_line_shows_quarantine(run):
    arguments = "import sys; sys.argv = ['opforge', 'plugins', '--check']\n"
    done = run(f"{arguments}from opforge.cli import main; main()", COLUMNS="300")
    assert "segv 1.0 is in quarantine" in done.stdout + done.stderr, done.stdout + done.stderr
