#!/usr/bin/env python3
"""The README's commands: set up an environment for the checkout and work in it.

    python3 run.py demo     build and install everything, list the operators, train on digits
    python3 run.py test     build and install everything, run all tests
    python3 run.py docs     build and install everything, build the documentation
    python3 run.py wheels   build wheels of core and plugins into dist/
    python3 run.py lint     check style (no build)
    python3 run.py type     check types (no build)

Needs Python 3.11 or later with its headers, pip, and a C and C++ compiler; nothing else has to be
installed beforehand. The environment is the folder .venv; `OPFORGE_VENV` names another one.
Arguments after ``test`` are passed to pytest.

Only what has changed since the last command is built and installed again. If ccache is on the PATH,
compilations go through it.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = Path(os.environ.get("OPFORGE_VENV", ROOT / ".venv"))
SCRIPTS = VENV / ("Scripts" if os.name == "nt" else "bin")
PLUGINS = sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))
#: Fingerprints of the installed distributions and requirements.
INSTALLED = VENV / "opforge-installed.json"
#: Files that are written by builds and tools, not by developers.
GENERATED = {".so", ".pyc", ".o"}
GENERATED_FOLDERS = {"build", "dist", "__pycache__", ".hypothesis", ".mypy_cache", ".ruff_cache"}
#: Files of the core that compiled plugins are built with.
PLUGIN_BUILD = ["include", "build.py", "base/include.py", "base/instruction_sets.py"]


def say(text: str) -> None:
    """Print a progress line that is visible among the output of the tools."""
    print(f"\n==> {text}", flush=True)


def call(*command: object) -> None:
    """Run a command in the checkout; its failure ends this program with its status."""
    result = subprocess.run([str(part) for part in command], cwd=ROOT, check=False)
    if result.returncode:
        print(f"run.py: failed ({result.returncode}): {' '.join(map(str, command))}", flush=True)
        sys.exit(result.returncode)


def check_machine() -> None:
    """Report missing prerequisites before a long build fails without them."""
    if sys.version_info < (3, 11):  # noqa: UP036 (this file starts on any Python 3)
        sys.exit(f"run.py: Python 3.11 or later is needed, this is {sys.version.split()[0]}")
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.exists():
        sys.exit(f"run.py: {header} is missing; install Python's headers (python3-dev)")
    compiler = os.environ.get("CC", "cc").split()[0]
    if not shutil.which(compiler) and not shutil.which("gcc"):
        sys.exit("run.py: no C compiler found; install gcc and g++ (build-essential), or set CC")


def pip(*arguments: object) -> None:
    """Run the environment's own pip, or this Python's pip if the environment has none."""
    own = [SCRIPTS / "python", "-m", "pip"]
    if subprocess.run([*own, "--version"], capture_output=True, check=False).returncode:
        own = [sys.executable, "-m", "pip", "--python", SCRIPTS / "python"]
    command, *rest = arguments
    call(*own, command, "--quiet", "--disable-pip-version-check", *rest)


def make_environment() -> None:
    """Create the environment if it does not exist."""
    if (SCRIPTS / "python").exists():
        return
    say(f"creating {VENV}")
    try:
        import ensurepip  # noqa: F401  (a separate package on Debian)
    except ImportError:
        venv.create(VENV, with_pip=False)
    else:
        venv.create(VENV, with_pip=True)


def project() -> dict:
    """Return the contents of pyproject.toml."""
    import tomllib

    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def group(name: str) -> list[str]:
    """Return the requirements of a dependency group of pyproject.toml."""
    found: list[str] = []
    for item in project()["dependency-groups"][name]:
        found += [item] if isinstance(item, str) else group(item["include-group"])
    return found


def fingerprint(paths: Iterable[Path]) -> str:
    """Return a digest of the files at and below `paths`, generated ones left out."""
    total = hashlib.sha256(sys.version.encode())
    for start in paths:
        inside = [start] if start.is_file() else sorted(start.rglob("*"))
        for path in inside:
            parts = path.relative_to(start).parts
            if not path.is_file() or path.suffix in GENERATED or _is_generated(parts):
                continue
            total.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return total.hexdigest()


def _is_generated(parts: tuple[str, ...]) -> bool:
    return any(part in GENERATED_FOLDERS or part.endswith(".egg-info") for part in parts)


def core_fingerprint() -> str:
    """Return the digest of the core's sources, and of the switches that its build reads."""
    files = [ROOT / name for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE")]
    switches = sorted((k, v) for k, v in os.environ.items() if k in SWITCHES)
    return fingerprint([*files, ROOT / "core"]) + repr(switches)


SWITCHES = ("OPFORGE_BUILD_ISA", "OPFORGE_DEBUG", "OPFORGE_SANITIZE", "CFLAGS", "CC", "CXX")


def plugin_fingerprint(folder: Path) -> str:
    """Return the digest of a plugin; of a compiled one with the core's headers."""
    files = [folder / name for name in ("pyproject.toml", "setup.py", "README.md")]
    with_core = [ROOT / "core" / "opforge" / name for name in PLUGIN_BUILD]
    extra = with_core if (folder / "setup.py").exists() else []
    return fingerprint([*filter(Path.exists, files), folder / "src", *extra])


class State:
    """Fingerprints of what the environment holds, stored in a file of the environment."""

    def __init__(self) -> None:
        self._known = json.loads(INSTALLED.read_text()) if INSTALLED.exists() else {}

    def lacks(self, name: str, current: str) -> bool:
        """Return whether `name` is missing or was installed from something else."""
        return self._known.get(name) != current

    def record(self, **current: str) -> None:
        """Store fingerprints of what has been installed."""
        self._known.update(current)
        INSTALLED.write_text(json.dumps(self._known, indent=1))


def install_requirements(state: State, name: str, requirements: list[str]) -> None:
    """Install requirements unless this very list is installed already."""
    if state.lacks(name, repr(requirements)):
        pip("install", *requirements)
        state.record(**{name: repr(requirements)})


def use_ccache() -> bool:
    """Let compilations go through ccache if it is installed and CC does not name it already."""
    compiler = os.environ.get("CC", "cc" if shutil.which("cc") else "gcc")
    if not shutil.which("ccache") or "ccache" in compiler:
        return False
    cxx = os.environ.get("CXX", "c++" if shutil.which("c++") else "g++")
    # Paths relative to the checkout, so that several checkouts share results.
    os.environ.setdefault("CCACHE_BASEDIR", str(ROOT))
    os.environ.update(CC=f"ccache {compiler}", CXX=f"ccache {cxx}")
    return True


def ccache_counts() -> dict[str, int]:
    """Return the counters of ccache by name; empty if it does not print them."""
    done = subprocess.run(["ccache", "--print-stats"], capture_output=True, text=True, check=False)
    pairs = [line.split("\t") for line in done.stdout.splitlines() if line.count("\t") == 1]
    return {name: int(value) for name, value in pairs if value.isdigit()}


def report_ccache(before: dict[str, int]) -> None:
    """Print how many compilations ccache saved since `before`."""
    after = ccache_counts()
    grown = {name: after[name] - before.get(name, 0) for name in after}
    hits = grown.get("direct_cache_hit", 0) + grown.get("preprocessed_cache_hit", 0)
    compiled = hits + grown.get("cache_miss", 0)
    if compiled:
        print(f"ccache: {hits} of {compiled} compilations were cached", flush=True)


def build_and_install(state: State) -> None:
    """Build and install core and plugins as far as they have changed."""
    core = core_fingerprint()
    plugins = {folder.name: plugin_fingerprint(folder) for folder in PLUGINS}
    stale = [folder for folder in PLUGINS if state.lacks(folder.name, plugins[folder.name])]
    is_stale = state.lacks("opforge", core)
    if not is_stale and not stale:
        return
    say(f"building and installing {'opforge and ' if is_stale else ''}{len(stale)} plugins")
    began, cached = time.monotonic(), use_ccache()
    before = ccache_counts() if cached else {}
    if is_stale:
        # Setuptools would pack files that have been removed since.
        for former in ROOT.glob("build/lib*"):
            shutil.rmtree(former)
        call(SCRIPTS / "python", "setup.py", "-q", "build_ext")
        pip("install", "--no-build-isolation", ROOT)
        state.record(opforge=core)
    if stale:
        # Compiled plugins are built with the core that is installed by now.
        pip("install", "--no-build-isolation", *stale)
        state.record(**{folder.name: plugins[folder.name] for folder in stale})
    if cached:
        report_ccache(before)
    say(f"installed in {time.monotonic() - began:.0f} s")


def install(*groups: str) -> None:
    """Build core and plugins from the checkout and install them with the named groups."""
    check_machine()
    make_environment()
    state = State()
    install_requirements(state, "build", [*project()["build-system"]["requires"], "wheel"])
    core = project()["project"]
    requirements = [*core["dependencies"], *core["optional-dependencies"]["cli"]]
    install_requirements(state, "core", requirements)
    build_and_install(state)
    for name in groups:
        install_requirements(state, f"group {name}", group(name))


def install_tools(name: str) -> None:
    """Install a group of tools that work on the sources alone."""
    check_machine()
    make_environment()
    install_requirements(State(), f"group {name}", group(name))


def demo() -> None:
    """Install, list the operators, train on the digits that scikit-learn ships."""
    install("demo")
    say("opforge ops")
    call(SCRIPTS / "opforge", "ops")
    say("examples/digits.py")
    call(SCRIPTS / "python", ROOT / "examples" / "digits.py")


def test(*arguments: str) -> None:
    """Install, run all tests against what was installed."""
    install("test")
    say("pytest")
    # Tests of a file stay together, because they share fixtures that are slow to create. The order
    # of files is that of conftest.py, the slowest first.
    together = ["--dist=loadfile", "--no-loadscope-reorder"]
    call(SCRIPTS / "pytest", "--numprocesses=auto", *together, *arguments)


def wheels() -> None:
    """Build wheels for this Python into dist/ from what has been built already."""
    install()
    say("wheels")
    pip("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", ROOT / "dist", ROOT, *PLUGINS)


def lint() -> None:
    """Check formatting and style of Python and Cython sources."""
    install_tools("lint")
    say("ruff, cython-lint")
    call(SCRIPTS / "python", ROOT / "scripts" / "lint.py")


def type_check() -> None:
    """Check the types of core and plugins."""
    install_tools("type")
    say("mypy")
    call(SCRIPTS / "mypy")


def docs() -> None:
    """Install, build the documentation with its examples; a warning is an error."""
    install("docs")
    say("sphinx-build")
    target = ROOT / "docs" / "_build" / "html"
    call(SCRIPTS / "sphinx-build", "-W", "--keep-going", "-q", "-b", "html", ROOT / "docs", target)


def main() -> None:
    """Run the command that the arguments name."""
    commands = {
        **{"demo": demo, "test": test, "docs": docs, "wheels": wheels},
        **{"lint": lint, "type": type_check},
    }
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
