"""A new folder under plugins/ gets its tox environments without an edit."""

import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = "opforge-just-added"


@pytest.fixture
def repository(tmp_path):
    """Return a copy of the files of the repository that tox reads, with one more plugin."""
    for name in ("tox.ini", "toxfile.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    folder = tmp_path / "plugins" / PLUGIN
    folder.mkdir(parents=True)
    (folder / "pyproject.toml").write_text(f'[project]\nname = "{PLUGIN}"\nversion = "1"\n')
    return tmp_path


def test_a_new_folder_has_environments_for_each_python(repository):
    pytest.importorskip("tox", reason="tox is not installed: pip install tox")
    supported = [
        line.rpartition(".")[2]
        for line in (ROOT / "pyproject.toml").read_text().split('"')
        if line.startswith("Programming Language :: Python :: 3.")
    ]
    pythons = [f"py3{minor}" for minor in supported]
    assert len(pythons) >= 3
    names = [f"plugin-just-added-{python}" for python in pythons]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tox",
            "config",
            "-e",
            ",".join(["plugin-just-added", *names]),
            "-k",
            "base_python",
            "commands_pre",
            "commands",
            "package",
        ],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = ConfigParser()
    found.read_string(done.stdout)
    for name, python in zip(names, pythons, strict=True):
        section = found[f"testenv:{name}"]
        assert section["base_python"] == python
        assert section["package"] == "sdist-wheel", "the core of the working tree"
        assert section["commands_pre"] == f"python scripts/install_plugins.py plugins/{PLUGIN}"
        assert section["commands"] == f"pytest plugins/{PLUGIN}/tests"
    assert found["testenv:plugin-just-added"]["commands"] == f"pytest plugins/{PLUGIN}/tests"
