"""Build wheels of the sdists in a folder, into the same folder, for the running Python.

    python scripts/wheels.py FOLDER [--pure | --list-native]

Each is built in isolation, from the package index and the folder, as pip does on a user's machine;
`--pure` builds only those that work on every Python, and `--list-native` prints the sdists of
plugins that need one for each. Native ones are repaired by the command in cibuildwheel's table in
pyproject.toml, if there is one for this system. Needs `pip`, and for the repair
`auditwheel` and `patchelf`.
"""

import os
import shlex
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def is_native(sdist: Path) -> bool:
    """Return whether a distribution compiles native code: it then has a setup.py."""
    with tarfile.open(sdist) as archive:
        return "setup.py" in {name.partition("/")[2] for name in archive.getnames()}


def repair(wheel: Path, dist: Path) -> None:
    """Let the system's repair tool set a wheel's platform tags and write it to `dist`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    table = project["tool"]["cibuildwheel"].get(sys.platform, {})
    command = table.get("repair-wheel-command", "")
    if not command or wheel.stem.endswith("-any"):
        wheel.replace(dist / wheel.name)
        return
    words = [word.format(dest_dir=dist, wheel=wheel) for word in shlex.split(command)]
    # Tools of the environment that are called by name.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    subprocess.run(words, env={**os.environ, "PATH": path}, check=True)


def build(sdist: Path, dist: Path) -> None:
    """Build one wheel; plugins find the core's wheel in `dist`."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-deps"]
    with tempfile.TemporaryDirectory() as name:
        subprocess.run(
            [*pip, "--find-links", str(dist), "--wheel-dir", name, str(sdist)], check=True
        )
        (wheel,) = Path(name).glob("*.whl")
        repair(wheel, dist)


def main() -> None:
    """Build the wheels, the core's first because native plugins are built with it."""
    if not sys.argv[1:]:
        sys.exit(__doc__)
    dist = Path(sys.argv[1]).resolve()
    sdists = sorted(dist.glob("*.tar.gz"))  # "opforge-0.1.0" before "opforge_dense-0.1.0"
    if "--list-native" in sys.argv[2:]:
        print(*filter(is_native, sdists[1:]), sep="\n")
        return
    for sdist in sdists:
        if "--pure" not in sys.argv[2:] or not is_native(sdist):
            build(sdist, dist)


if __name__ == "__main__":
    main()
