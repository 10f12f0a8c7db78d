"""Fresh virtual environments with wheels of the core, of the plugins and of strangers' plugins.

The wheels are made once for a session. An environment has those that a test names and no others;
everything that opforge itself requires is linked from the running interpreter, so that no network
is needed.
"""

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(sysconfig.get_path("purelib"))
PLUGINS = sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))

PROJECT = """\
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "{name}"
version = "{version}"
[project.entry-points.opforge]
{short} = "{module}"
[project.entry-points."opforge.ops"]
{operator} = "{module}:Operator"
[tool.setuptools]
py-modules = ["{module}"]
"""

MODULE = '''\
"""A plugin by somebody else."""
from opforge.plugin_api import OperatorProp, hookimpl
{first}

class Operator(OperatorProp):
    """{doc}"""

    name = "{operator}"

    def compose(self, F, data):
        return data * 3


@hookimpl
def opforge_operators():
    return [Operator]
'''


@dataclass(frozen=True)
class Environment:
    """One virtual environment."""

    folder: Path

    def run(
        self, *command: object, code: int | None = 0, **settings: str
    ) -> subprocess.CompletedProcess:
        """Run one of its programs and check the exit status; None: it may be any."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("OPFORGE_", "PYTHON"))}
        clean.pop("COLUMNS", None)
        program, *rest = map(str, command)
        done = subprocess.run(
            [str(self.folder / "bin" / program), *rest],
            cwd=self.folder,
            env={**clean, **settings},
            capture_output=True,
            text=True,
            check=False,
        )
        assert code in (None, done.returncode), f"{done.args}\n{done.stdout}\n{done.stderr}"
        return done

    def faults(self) -> list[dict[str, str]]:
        """Return what doctor finds, without plugins that load slowly: on a busy machine all do."""
        found = json.loads(self.run("opforge", "doctor", "--json", code=None).stdout)
        return [row for row in found if not row["message"].endswith("s to load")]

    def uninstall(self, name: str) -> None:
        """Remove one of its distributions."""
        pip("--python", self.folder / "bin" / "python", "uninstall", "--yes", name)

    def python(self, source: str, code: int = 0, **settings: str) -> str:
        """Run a program text and return what it prints."""
        return self.run("python", "-c", source, code=code, **settings).stdout


def pip(*arguments: object) -> None:
    """Run the running interpreter's pip, offline."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"pip {arguments}\n{done.stdout}\n{done.stderr}"


def build(source: Path, target: Path) -> Path:
    """Return the wheel built from a project folder."""
    target.mkdir(parents=True, exist_ok=True)
    pip("wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", target, source)
    (wheel,) = target.glob("*.whl")
    return wheel


def repack(found: Distribution, target: Path) -> Path:
    """Return a wheel of what is installed: that saves compiling the core once more."""
    target.mkdir(parents=True)
    tag = next(
        line.partition(":")[2].strip()
        for line in (found.read_text("WHEEL") or "").splitlines()
        if line.startswith("Tag:")
    )
    wheel = target / f"opforge-{found.version}-{tag}.whl"
    record = ""
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in found.files or []:
            place = file.as_posix()
            own = file.name in {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"}
            if place.startswith("..") or "__pycache__" in place or own:
                continue
            data = Path(str(file.locate())).read_bytes()
            archive.writestr(place, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{place},sha256={digest},{len(data)}\n"
        info = f"opforge-{found.version}.dist-info/RECORD"
        archive.writestr(info, f"{record}{info},,\n")
    return wheel


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the wheels of core and plugins by distribution."""
    folder = tmp_path_factory.mktemp("wheels")
    installed = distribution("opforge")
    if any(str(file).endswith("opforge/__init__.py") for file in installed.files or []):
        made = {"opforge": repack(installed, folder / "opforge")}
    else:  # an editable installation: the objects that it compiled lie in build/
        made = {"opforge": build(ROOT, folder / "opforge")}
    for plugin in PLUGINS:
        copy = folder / "sources" / plugin.name
        shutil.copytree(plugin, copy, ignore=shutil.ignore_patterns("build", "*.egg-info"))
        made[plugin.name] = build(copy, folder / plugin.name)
    return made


@pytest.fixture(scope="session")
def build_wheel() -> Callable[[Path, Path], Path]:
    """Return the function that builds the wheel of a project folder into another folder."""
    return build


@pytest.fixture(scope="session")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a function that makes the wheel of a plugin with one operator."""

    def make(name: str, operator: str, first: str = "", version: str = "1.0") -> Path:
        source = tmp_path_factory.mktemp(name)
        words = {"name": name, "module": name.replace("-", "_"), "operator": operator}
        words |= {"short": name.partition("-")[2], "version": version, "first": first}
        (source / "pyproject.toml").write_text(PROJECT.format(**words))
        text = MODULE.format(doc=f"Treble the data, as {name} does.", **words)
        (source / f"{words['module']}.py").write_text(text)
        return build(source, source / "wheel")

    return make


@pytest.fixture(scope="session")
def dependencies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with everything of the running site-packages but opforge and plugins."""
    folder = tmp_path_factory.mktemp("dependencies")
    for path in SITE.iterdir():
        if "opforge" not in path.name.lower() and path.suffix != ".pth":
            (folder / path.name).symlink_to(path)
    return folder


@pytest.fixture(scope="session")
def environment(
    tmp_path_factory: pytest.TempPathFactory, dependencies: Path
) -> Callable[..., Environment]:
    """Return a function that makes an environment with the given wheels."""

    def make(*installed: Path) -> Environment:
        folder = tmp_path_factory.mktemp("environment")
        command = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
        subprocess.run(command, check=True)
        python = folder / "bin" / "python"
        pip("--python", python, "install", "--no-index", "--no-deps", "--no-compile", *installed)
        (site,) = folder.glob("lib/python*/site-packages")
        (site / "dependencies.pth").write_text(f"{dependencies}\n")
        return Environment(folder)

    return make


@pytest.fixture(scope="session")
def bare(environment: Callable[..., Environment], wheels: dict[str, Path]) -> Environment:
    """The core alone."""
    return environment(wheels["opforge"])


@pytest.fixture(scope="session")
def full(environment: Callable[..., Environment], wheels: dict[str, Path]) -> Environment:
    """The core and the first-party plugins."""
    return environment(*wheels.values())


@pytest.fixture(scope="session")
def crowded(
    environment: Callable[..., Environment], wheels: dict[str, Path], stranger: Callable[..., Path]
) -> Environment:
    """The first-party plugins, one that raises at import, and a second provider of softmax."""
    broken = stranger("acme-broken", "acme_break", "raise ImportError('libacme.so.3 is missing')")
    rival = stranger("acme-rival", "softmax", version="2.5")
    return environment(*wheels.values(), broken, rival)
