"""Run the unit tests of packages of the core against the working tree.

    python scripts/package_tests.py PACKAGE ... [OPTIONS OF PYTEST]

A package is a folder or module below tests/unit: ``kvstore``, ``gluon/data``, ``random``. Native
modules of the core that have changed are built in place first. First-party plugins are installed
in editable mode the first time; later runs only rebuild the core.
"""

import importlib.util
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
UNIT = ROOT / "tests" / "unit"


def run(*command: object) -> int:
    """Run a command in the checkout and return its status."""
    return subprocess.run([str(word) for word in command], cwd=ROOT, check=False).returncode


def must(*command: object) -> None:
    """Run a command; its failure ends the program with its status."""
    status = run(*command)
    if status:
        sys.exit(status)


def tests_of(package: str) -> list[Path]:
    """Return the files and folders with the unit tests of a package."""
    folder = UNIT / package
    module = folder.with_name(f"test_{folder.name}.py")
    return [path for path in (folder, module) if path.exists()]


def prepare() -> None:
    """Build the core in place; install core and plugins in editable mode if they are missing."""
    must(sys.executable, "setup.py", "-q", "build_ext", "--inplace")
    if importlib.util.find_spec("opforge_tools") is None:
        pip = [sys.executable, "-m", "pip", "-q", "install", "--no-build-isolation"]
        must(*pip, "-e", ROOT)
        plugins = sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))
        must(*pip, *[word for folder in plugins for word in ("-e", folder)])


def main(arguments: list[str]) -> int:
    """Return the status of pytest; exit with a message if a package has no tests."""
    cut = next((i for i, word in enumerate(arguments) if word.startswith("-")), len(arguments))
    packages, options = arguments[:cut], arguments[cut:]
    if not packages:
        sys.exit(__doc__)
    unknown = [package for package in packages if not tests_of(package)]
    if unknown:
        known = sorted(path.name for path in UNIT.iterdir() if any(path.glob("test_*.py")))
        wrong = ", ".join(unknown)
        sys.exit(f"package_tests: no tests of {wrong}; packages are {', '.join(known)}")
    prepare()
    paths = [path for package in packages for path in tests_of(package)]
    return run(sys.executable, "-m", "pytest", "-q", *paths, *options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
