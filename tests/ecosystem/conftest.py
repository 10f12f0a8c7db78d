"""Fresh virtual environments with wheels of the core, the plugins and third-party plugins.

The wheels are built once per session, for all processes that run its tests. An environment has only
those that a test names; everything that opforge itself requires is linked from the running
interpreter, so no network is needed.
"""

import base64
import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

import pytest

from .sources import MODULE, PROJECT

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))
#: Folder with wheels of what is installed; None: they are made from the installed files.
BUILT = Path(os.environ["OPFORGE_TEST_WHEELS"]) if "OPFORGE_TEST_WHEELS" in os.environ else None

_spec = importlib.util.spec_from_file_location(
    "core_environment", ROOT / "scripts" / "core_environment.py"
)
core_environment: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(core_environment)


@dataclass(frozen=True)
class Environment:
    """A virtual environment."""

    folder: Path
    wheels: tuple[Path, ...] = ()

    def run(
        self, *command: object, code: int | None = 0, **settings: str
    ) -> subprocess.CompletedProcess:
        """Run one of its programs and check the exit status; None accepts any."""
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
        """Return the doctor's findings, without those caused by this machine.

        On a busy machine all plugins load slowly, and some machines limit OpenBLAS by variables.
        """
        found = json.loads(self.run("opforge", "doctor", "--json", code=None).stdout)
        own = [row for row in found if not row["subject"].startswith("OPENBLAS_")]
        return [row for row in own if not row["message"].endswith("s to load")]

    @contextmanager
    def without(self, name: str) -> Iterator[None]:
        """Uninstall one of its distributions for a while: other tests share the environment."""
        (wheel,) = [w for w in self.wheels if w.name.startswith(f"{name.replace('-', '_')}-")]
        python = self.folder / "bin" / "python"
        core_environment.pip("--python", python, "uninstall", "--yes", name)
        try:
            yield
        finally:
            options = ("--no-index", "--no-deps", "--no-compile")
            core_environment.pip("--python", python, "install", *options, wheel)

    def python(self, source: str, code: int = 0, **settings: str) -> str:
        """Run a program text and return its output."""
        return self.run("python", "-c", source, code=code, **settings).stdout


def build(source: Path, target: Path) -> Path:
    """Return the wheel built from a project folder."""
    target.mkdir(parents=True, exist_ok=True)
    core_environment.pip(
        "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", target, source
    )
    (wheel,) = target.glob("*.whl")
    return wheel


def repack(found: Distribution, target: Path) -> Path:
    """Return a wheel of the installed distribution, which avoids compiling it again."""
    target.mkdir(parents=True)
    tag = next(
        line.partition(":")[2].strip()
        for line in (found.read_text("WHEEL") or "").splitlines()
        if line.startswith("Tag:")
    )
    stem = f"{found.name.replace('-', '_')}-{found.version}"
    wheel = target / f"{stem}-{tag}.whl"
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
        info = f"{stem}.dist-info/RECORD"
        archive.writestr(info, f"{record}{info},,\n")
    return wheel


def make_wheel(project: Path, folder: Path) -> None:
    """Put the wheel of the core or of a plugin into its folder of wheels."""
    name = "opforge" if project == ROOT else project.name
    installed = distribution(name)
    built = [*BUILT.glob(f"{name.replace('-', '_')}-{installed.version}-*.whl")] if BUILT else []
    if built:
        (folder / name).mkdir(parents=True)
        (folder / name / built[0].name).symlink_to(built[0])
    elif any(file.name == "__init__.py" for file in installed.files or []):
        repack(installed, folder / name)
    elif project == ROOT:  # an editable installation: its compiled objects are in build/
        build(project, folder / name)
    else:
        copy = folder.parent / "sources" / name
        shutil.copytree(project, copy, ignore=shutil.ignore_patterns("build", "*.egg-info"))
        build(copy, folder / name)


def fill(folder: Path, dependencies: Path, installed: Iterable[Path]) -> Environment:
    """Create an environment with the given wheels in an empty folder."""
    found = tuple(installed)
    core_environment.create(folder, dependencies, found)
    return Environment(folder, found)


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a function that fills a folder once per session; other processes wait for it."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent

    def once(name: str, make: Callable[[Path], object]) -> Path:
        folder, done = shared / f"shared-{name}" / "made", shared / f"shared-{name}" / "done"
        folder.parent.mkdir(exist_ok=True)
        with (folder.parent / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)  # left by a failed attempt
                folder.mkdir()
                make(folder)
                done.touch()
        return folder

    return once


@pytest.fixture(scope="session")
def wheels(once: Callable[..., Path]) -> dict[str, Path]:
    """Return the wheels of core and plugins by distribution."""

    def make(folder: Path) -> None:
        for project in (ROOT, *PLUGINS):
            make_wheel(project, folder)

    made = once("wheels", make).glob("*/*.whl")
    return {wheel.parent.name: wheel for wheel in sorted(made)}


@pytest.fixture(scope="session")
def build_wheel() -> Callable[[Path, Path], Path]:
    """Return a function that builds the wheel of a project folder into another folder."""
    return build


@pytest.fixture(scope="session")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a function that builds the wheel of a plugin with one operator."""

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
def dependencies(once: Callable[..., Path]) -> Path:
    """Return a folder with everything of the running site-packages except opforge and plugins."""
    return once("dependencies", core_environment.link_packages)


@pytest.fixture(scope="session")
def environment(
    tmp_path_factory: pytest.TempPathFactory, dependencies: Path
) -> Callable[..., Environment]:
    """Return a function that creates an environment with the given wheels for one test."""

    def make(*installed: Path) -> Environment:
        return fill(tmp_path_factory.mktemp("environment"), dependencies, installed)

    return make


@pytest.fixture(scope="session")
def bare(once: Callable[..., Path], dependencies: Path, wheels: dict[str, Path]) -> Environment:
    """The core alone."""
    installed = [wheels["opforge"]]
    return Environment(once("bare", lambda folder: fill(folder, dependencies, installed)))


@pytest.fixture(scope="session")
def authors(once: Callable[..., Path], dependencies: Path, wheels: dict[str, Path]) -> Environment:
    """The core and the tools for authors."""
    installed = [wheels["opforge"], wheels["opforge-tools"]]
    return Environment(once("authors", lambda folder: fill(folder, dependencies, installed)))


@pytest.fixture(scope="session")
def full(once: Callable[..., Path], dependencies: Path, wheels: dict[str, Path]) -> Environment:
    """The core and the first-party plugins."""
    installed = wheels.values()
    return Environment(once("full", lambda folder: fill(folder, dependencies, installed)))


@pytest.fixture(scope="session")
def crowded(
    once: Callable[..., Path],
    dependencies: Path,
    wheels: dict[str, Path],
    stranger: Callable[..., Path],
) -> Environment:
    """The first-party plugins, one that raises at import, and a second provider of softmax."""

    def make(folder: Path) -> None:
        broken = stranger(
            "acme-broken", "acme_break", "raise ImportError('libacme.so.3 is missing')"
        )
        rival = stranger("acme-rival", "softmax", version="2.5")
        fill(folder, dependencies, [*wheels.values(), broken, rival])

    return Environment(once("crowded", make))
