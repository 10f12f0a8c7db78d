#!/usr/bin/env python3
"""The README's commands: set up an environment for the checkout and work in it.

    python3 run.py demo     build and install everything, list the operators, train on digits
    python3 run.py test     build and install everything, run all tests
    python3 run.py docs     build and install everything, build the documentation
    python3 run.py wheels   build wheels of core and plugins into dist/
    python3 run.py lint     check style (no build)
    python3 run.py type     check types (no build)
    python3 run.py ci       all of lint, type, test and docs

Needs Python 3.11 or later with its headers, pip, and a C and C++ compiler; nothing else has to be
installed beforehand. The environment is the folder .venv; `OPFORGE_VENV` names another one.
Arguments after ``test`` are passed to pytest, except ``--changed [COMMIT]``: only tests that the
changes since the branch left main, or since COMMIT, can reach.

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
import tempfile
import time
import venv
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = Path(os.environ.get("OPFORGE_VENV", ROOT / ".venv"))
SCRIPTS = VENV / ("Scripts" if os.name == "nt" else "bin")
PLUGINS = sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))
#: Fingerprints of the installed distributions and requirements.
INSTALLED = VENV / "opforge-installed.json"
#: Wheels of core and plugins from which they were installed.
WHEELS = VENV / "wheels"
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
    switches += [compilers()]
    return fingerprint([*files, ROOT / "core"]) + repr(switches)


SWITCHES = ("OPFORGE_BUILD_ISA", "OPFORGE_DEBUG", "OPFORGE_SANITIZE", "CFLAGS")


def compilers() -> tuple[str, str]:
    """Return the commands of the C and C++ compilers, without ccache."""
    c = os.environ.get("CC", "cc" if shutil.which("cc") else "gcc")
    cxx = os.environ.get("CXX", "c++" if shutil.which("c++") else "g++")
    return c.removeprefix("ccache "), cxx.removeprefix("ccache ")


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


def install_requirements(state: State, wanted: dict[str, list[str]]) -> None:
    """Install lists of requirements by name, except lists that are installed already."""
    missing = {name: each for name, each in wanted.items() if state.lacks(name, repr(each))}
    if missing:
        pip("install", *dict.fromkeys(word for each in missing.values() for word in each))
        state.record(**{name: repr(each) for name, each in missing.items()})


def base_requirements() -> dict[str, list[str]]:
    """Return what the core needs to be built and to run."""
    found = project()
    build = [*found["build-system"]["requires"], "wheel"]
    core = found["project"]
    needed = [*core["dependencies"], *core["optional-dependencies"]["cli"]]
    return {"build": build, "core": needed}


def plugin_requirements() -> dict[str, list[str]]:
    """Return what the plugins need to run, besides core and other plugins."""
    import tomllib

    texts = (path.joinpath("pyproject.toml").read_text(encoding="utf-8") for path in PLUGINS)
    needed = {word for text in texts for word in tomllib.loads(text)["project"]["dependencies"]}
    return {"plugins": sorted(word for word in needed if not word.startswith("opforge"))}


def group_requirements(*names: str) -> dict[str, list[str]]:
    """Return the requirements of dependency groups."""
    return {f"group {name}": group(name) for name in names}


def use_ccache() -> bool:
    """Let compilations go through ccache if it is installed and CC does not name it already."""
    if not shutil.which("ccache") or "ccache" in os.environ.get("CC", ""):
        return False
    c, cxx = compilers()
    # Paths relative to the checkout, so that several checkouts share results.
    os.environ.setdefault("CCACHE_BASEDIR", str(ROOT))
    os.environ.update(CC=f"ccache {c}", CXX=f"ccache {cxx}")
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


class Distributions:
    """Core and plugins of the checkout, and which of them have changed since the last install."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._current = {folder: plugin_fingerprint(folder) for folder in PLUGINS}
        self._current[ROOT] = core_fingerprint()
        self.stale = [
            folder
            for folder, text in self._current.items()
            if state.lacks(_name(folder), text) or not _wheels(folder)
        ]

    def compile_core(self) -> None:
        """Compile the native modules of the core that have changed."""
        # Setuptools would pack files that have been removed since.
        for folder in self.stale:
            for former in folder.glob("build/lib*"):
                shutil.rmtree(former)
        if ROOT in self.stale:
            call(SCRIPTS / "python", "setup.py", "-q", "build_ext")

    def install(self) -> None:
        """Build wheels of what has changed and install them."""
        if ROOT in self.stale:
            self._install([build_wheel(ROOT)])
        # Compiled plugins are built with the core that is installed by now; the longest first.
        plugins = sorted((f for f in self.stale if f != ROOT), key=native_size, reverse=True)
        if plugins:
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                self._install([*pool.map(build_wheel, plugins)])
        self._state.record(**{_name(folder): self._current[folder] for folder in self.stale})

    def _install(self, wheels: list[Path]) -> None:
        pip("install", "--force-reinstall", "--no-deps", *wheels)


def _name(folder: Path) -> str:
    """Return the name of the distribution in a folder."""
    return "opforge" if folder == ROOT else folder.name


def native_size(folder: Path) -> int:
    """Return the bytes of a plugin's C and C++ sources, an estimate of how long its build takes."""
    return sum(path.stat().st_size for path in (folder / "src").rglob("*.c*") if path.is_file())


def _wheels(folder: Path) -> list[Path]:
    """Return the wheel that was built from `folder`, if there is one."""
    return [*WHEELS.glob(f"{_name(folder).replace('-', '_')}-[0-9]*.whl")]


def build_wheel(folder: Path) -> Path:
    """Build the wheel of the core or of a plugin into `WHEELS`, instead of an older one."""
    for former in _wheels(folder):
        former.unlink()
    pip("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", WHEELS, folder)
    (wheel,) = _wheels(folder)
    return wheel


def install(*groups: str) -> None:
    """Build core and plugins from the checkout and install them with the named groups."""
    check_machine()
    make_environment()
    state = State()
    install_requirements(state, base_requirements())
    changed = Distributions(state)
    if changed.stale:
        say(f"building and installing {len(changed.stale)} distributions")
    began, cached = time.monotonic(), use_ccache()
    before = ccache_counts() if cached else {}
    with ThreadPoolExecutor(1) as downloads:
        wanted = {**plugin_requirements(), **group_requirements(*groups)}
        waiting = downloads.submit(install_requirements, state, wanted)
        changed.compile_core()
        waiting.result()
    changed.install()
    if cached:
        report_ccache(before)
    if changed.stale:
        say(f"installed in {time.monotonic() - began:.0f} s")


def install_tools(name: str) -> None:
    """Install a group of tools that work on the sources alone."""
    check_machine()
    make_environment()
    install_requirements(State(), group_requirements(name))


def demo() -> None:
    """Install, list the operators, train on the digits that scikit-learn ships."""
    install("demo")
    say("opforge ops")
    call(SCRIPTS / "opforge", "ops")
    say("examples/digits.py")
    call(SCRIPTS / "python", ROOT / "examples" / "digits.py")


def test(*arguments: str) -> int:
    """Install; run the core's unit tests without plugins, then all other tests with them.

    If an argument names tests, run these alone, with plugins; after ``--changed``, the tests that
    the difference from a commit reaches, by default from where the branch left main.
    """
    install("test")
    if arguments[:1] == ("--changed",):
        base, options = arguments[1:2], arguments[2:]
        command = [SCRIPTS / "python", ROOT / "scripts" / "changed_tests.py", *base]
        found = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        arguments = (*found.stdout.split(), *options)
    os.environ["OPFORGE_TEST_WHEELS"] = str(WHEELS)
    if any(Path(word.partition("::")[0]).exists() for word in arguments):
        return pytest(SCRIPTS / "python", *arguments)
    say("pytest, the core alone")
    core = pytest(make_core_environment(), "--part=core", *arguments, ROOT / "tests" / "unit")
    say("pytest, core and plugins")
    return pytest(SCRIPTS / "python", "--part=rest", *arguments) or core


def pytest(python: Path, *arguments: object) -> int:
    """Run tests in the environment of an interpreter, on all cores; return the exit status."""
    parallel = ["--numprocesses=auto", "--dist=worksteal"]
    command = [python, "-m", "pytest", *parallel, *arguments]
    return subprocess.run([str(part) for part in command], cwd=ROOT, check=False).returncode


def make_core_environment() -> Path:
    """Create the environment of the core alone, unless it is up to date; return its Python."""
    folder, (wheel,) = VENV / "core", _wheels(ROOT)
    packages = sorted(path.name for path in VENV.glob("lib/*/site-packages/*"))
    current = repr((hashlib.sha256(wheel.read_bytes()).hexdigest(), packages))
    state = State()
    if state.lacks("core environment", current):
        call(SCRIPTS / "python", ROOT / "scripts" / "core_environment.py", folder, wheel)
        state.record(**{"core environment": current})
    return folder / "bin" / "python"


def wheels() -> None:
    """Copy the wheels of core and plugins for this Python into dist/."""
    install()
    say("wheels")
    (ROOT / "dist").mkdir(exist_ok=True)
    for wheel in WHEELS.glob("*.whl"):
        shutil.copy2(wheel, ROOT / "dist")


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


def ci() -> int:
    """Run every check of a change, the later ones even if others fail."""
    check_machine()
    make_environment()
    install_requirements(State(), base_requirements() | group_requirements("lint", "type"))
    checks = {name: Background(name) for name in ("lint", "type")}
    install("test", "docs")
    statuses = {name: check.finish() for name, check in checks.items()}
    for name in ("test", "docs"):
        statuses[name] = subprocess.run([sys.executable, __file__, name], check=False).returncode
        print(f"ci: {name} ended with {statuses[name]}, {time.strftime('%X')}", flush=True)
    failed = [name for name, status in statuses.items() if status]
    say(f"failed: {', '.join(failed)}" if failed else "all checks passed")
    return len(failed)


class Background:
    """A command of this program that runs beside others, with its output kept until it ends."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `finish`)
        command = [sys.executable, __file__, name]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdout=self._output, stderr=subprocess.STDOUT
        )

    def finish(self) -> int:
        """Wait for the end, print the output and return the exit status."""
        status = self._process.wait()
        self._output.seek(0)
        with self._output:
            print(self._output.read().decode(errors="replace"), flush=True)
        print(f"ci: {self._name} ended with {status}, {time.strftime('%X')}", flush=True)
        return status


def main() -> None:
    """Run the command that the arguments name."""
    commands = {
        **{"demo": demo, "test": test, "docs": docs, "wheels": wheels},
        **{"lint": lint, "type": type_check, "ci": ci},
    }
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    sys.exit(commands[sys.argv[1]](*sys.argv[2:]))


if __name__ == "__main__":
    main()
