#!/usr/bin/env python3
"""The README's commands: set up an environment of the checkout's own and work in it.

    python3 run.py demo     build and install everything, list the operators, train on digits
    python3 run.py test     build and install everything, run all tests
    python3 run.py lint     check style (no build)
    python3 run.py type     check types (no build)
    python3 run.py docs     build and install everything, build the documentation

Needs Python 3.11 or later with its headers, pip, and a C and C++ compiler; nothing else has to be
installed beforehand. The environment is the folder .venv; `OPFORGE_VENV` names another one.
Arguments after ``test`` go to pytest.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = Path(os.environ.get("OPFORGE_VENV", ROOT / ".venv"))
SCRIPTS = VENV / ("Scripts" if os.name == "nt" else "bin")
PLUGINS = sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))


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
    """Say what is missing before a long build fails on it."""
    if sys.version_info < (3, 11):  # noqa: UP036 (this file starts on any Python 3)
        sys.exit(f"run.py: Python 3.11 or later is needed, this is {sys.version.split()[0]}")
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.exists():
        sys.exit(f"run.py: {header} is missing; install Python's headers (python3-dev)")
    compiler = os.environ.get("CC", "cc").split()[0]
    if not shutil.which(compiler) and not shutil.which("gcc"):
        sys.exit("run.py: no C compiler found; install gcc and g++ (build-essential), or set CC")


def pip_install(*arguments: object) -> None:
    """Install into the environment with its own pip, or with this Python's where it has none."""
    own = [SCRIPTS / "python", "-m", "pip"]
    if subprocess.run([*own, "--version"], capture_output=True, check=False).returncode:
        own = [sys.executable, "-m", "pip", "--python", SCRIPTS / "python"]
    call(*own, "install", "--quiet", "--disable-pip-version-check", *arguments)


def make_environment() -> None:
    """Create the environment unless it is there."""
    if (SCRIPTS / "python").exists():
        return
    say(f"creating {VENV}")
    try:
        import ensurepip  # noqa: F401  (Debian ships it apart)
    except ImportError:
        venv.create(VENV, with_pip=False)
    else:
        venv.create(VENV, with_pip=True)


def group(name: str) -> list[str]:
    """Return the requirements of a dependency group of pyproject.toml."""
    import tomllib

    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    found: list[str] = []
    for item in groups[name]:
        found += [item] if isinstance(item, str) else group(item["include-group"])
    return found


def install(*groups: str) -> None:
    """Build core and plugins from the checkout and install them with the named groups."""
    check_machine()
    make_environment()
    say(f"building and installing opforge and {len(PLUGINS)} plugins (minutes, the first time)")
    began = time.monotonic()
    for stale in ROOT.glob("build/lib*/**/*.py"):  # setuptools would pack modules removed since
        stale.unlink()
    extras = [requirement for name in groups for requirement in group(name)]
    pip_install(ROOT, "setuptools>=77")
    # Those with C in them are built with the core that is installed by now.
    pip_install("--no-build-isolation", *PLUGINS)
    pip_install(*extras)
    say(f"installed in {time.monotonic() - began:.0f} s")


def install_tools(name: str) -> None:
    """Install a group of tools that work on the sources alone."""
    check_machine()
    make_environment()
    pip_install(*group(name))


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
    # The tests of a file stay together: they share what is slow to make. Files in their own order:
    # by the number of their tests the slowest one, which has one, would come last.
    together = ["--dist=loadfile", "--no-loadscope-reorder"]
    call(SCRIPTS / "pytest", "--numprocesses=auto", *together, *arguments)


def lint() -> None:
    """Check formatting and style of Python and Cython sources."""
    install_tools("lint")
    say("ruff, cython-lint")
    call(SCRIPTS / "python", ROOT / "scripts" / "lint.py")


def type_check() -> None:
    """Check the types of core and plugins; compiled modules count as Any."""
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
    commands = {"demo": demo, "test": test, "lint": lint, "type": type_check, "docs": docs}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
