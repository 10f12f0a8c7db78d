"""Make the source distributions for a package index: an sdist of the core and of each plugin.

    python scripts/sdists.py FOLDER [--url https://github.com/acme/opforge]

They contain the files of the working tree that git tracks, completed by `release_metadata`.
`--url` is the repository's address. Needs `build`, `Cython`, `numpy`, `setuptools` and `tomlkit` in
this environment, and no opforge.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from release_metadata import complete, distributions

ROOT = Path(__file__).resolve().parents[1]


def export(target: Path) -> None:
    """Copy the tracked files into `target`."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():  # not deleted in the working tree
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def build(folder: Path, core: Path, dist: Path) -> None:
    """Build the sdist of one distribution; a plugin's setup.py imports `opforge.build`."""
    make = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--skip-dependency-check"]
    subprocess.run(
        [*make, "--outdir", str(dist), str(folder)],
        env={**os.environ, "PYTHONPATH": str(core / "core")},
        stdout=subprocess.DEVNULL,
        check=True,
    )


def main() -> None:
    """Make all sdists."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path, help="where the sdists go")
    parser.add_argument("--url", default="", help="address of the repository")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        core = Path(name) / "opforge"
        export(core)
        complete(core, given.url)
        for folder in distributions(core):
            build(folder, core, given.folder.resolve())
            print(f"{folder.name}: sdist made", flush=True)


if __name__ == "__main__":
    main()
