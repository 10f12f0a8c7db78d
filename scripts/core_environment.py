"""Create a virtual environment with the core alone, for the tests that need no plugin.

    python scripts/core_environment.py FOLDER WHEEL ...

The environment gets the given wheels; everything else that the running interpreter has, except
opforge and plugins, is linked into it, so nothing is downloaded. An existing FOLDER is replaced.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import distributions
from pathlib import Path

#: Folders of installed packages, those that a .pth file names included.
SITES = [Path(name) for name in sys.path if any(Path(name or ".").glob("*.dist-info"))]


def pip(*arguments: object) -> None:
    """Run the running interpreter's pip; raise with its output if it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"pip {arguments} failed:\n{done.stdout}\n{done.stderr}")


def files_of_plugins() -> set[str]:
    """Return the names of all plugins' installed files.

    Third-party ones included: otherwise a developer's own plugin would be listed in every
    environment, and an editable one could not be imported there.
    """
    names = set()
    for found in distributions(path=[*map(str, SITES)]):
        groups = {point.group.partition(".")[0] for point in found.entry_points}
        if "opforge" in groups:
            names |= {file.parts[0] for file in found.files or []}
    return names


def link_packages(folder: Path) -> None:
    """Link everything that is installed, except opforge and plugins, into a folder."""
    plugins = files_of_plugins()
    # The first of two packages with one name is the one that Python imports.
    found = {path.name: path for site in reversed(SITES) for path in site.iterdir()}
    for name, path in found.items():
        skipped = "opforge" in name.lower() or name in plugins or name == "__pycache__"
        if not skipped and path.suffix != ".pth":
            (folder / name).symlink_to(path)


def create(folder: Path, packages: Path, wheels: Iterable[Path]) -> None:
    """Create an environment with `wheels` that also imports what is in the folder `packages`."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    pip("--python", python, "install", "--no-index", "--no-deps", "--no-compile", *wheels)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(f"{packages}\n", encoding="utf-8")


def main(folder: Path, *wheels: Path) -> None:
    """Create the environment; the links are a folder of it."""
    shutil.rmtree(folder, ignore_errors=True)
    packages = folder / "dependencies"
    packages.mkdir(parents=True)
    link_packages(packages)
    create(folder, packages, wheels)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
