"""Check the distributions in a folder, and try their wheels without a compiler.

    python scripts/try_wheels.py FOLDER

Installs the core and every plugin from wheels alone into a fresh environment of this Python and
runs `smoke.py` there, with the baseline kernels and with the best that the processor supports.
Needs `twine`.
"""

import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

SMOKE = Path(__file__).resolve().with_name("smoke.py")
#: Maximum size of a wheel in bytes.
MOST = 6_000_000
#: Suffixes of files that the build reads or leaves behind.
LEFTOVERS = (".pyc", ".pyx", ".c", ".cpp", ".o")


def metadata(wheel: Path) -> Message:
    """Return a wheel's metadata."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [x for x in archive.namelist() if x.endswith(".dist-info/METADATA")]
        return message_from_bytes(archive.read(name))


def problems(wheel: Path) -> list[str]:
    """Return the problems of a wheel intended for an index."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    said = metadata(wheel)
    size = wheel.stat().st_size
    found = {
        f"it has {size} bytes; expected at most {MOST}": size > MOST,
        "it has a platform tag for this system only; repair it": "-linux_" in wheel.name,
        "it has no license": not any("/licenses/LICENSE" in name for name in names),
        "it has no classifiers": not said.get_all("Classifier"),
        "its README has relative links, broken on an index": "](../" in str(said.get_payload()),
        "it has build products or caches": any(name.endswith(LEFTOVERS) for name in names),
    }
    return [f"{wheel.name}: {text}" for text, holds in found.items() if holds]


def install(dist: Path, folder: Path, names: list[str]) -> Path:
    """Return the Python of a new environment with these distributions, from wheels alone."""
    venv.create(folder, with_pip=True)
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    pip = [str(scripts / "python"), "-m", "pip", "--disable-pip-version-check", "install"]
    subprocess.run(
        [*pip, "--quiet", "--only-binary", ":all:", "--find-links", str(dist), *names],
        env={**os.environ, "PATH": str(scripts), "CC": "no-compiler", "CXX": "no-compiler"},
        check=True,
    )
    return scripts / "python"


def main() -> None:
    """Run all checks; exit with the first status that is not 0."""
    if not sys.argv[1:]:
        sys.exit(__doc__)
    dist = Path(sys.argv[1]).resolve()
    files = sorted([*dist.glob("*.whl"), *dist.glob("*.tar.gz")])
    subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", *map(str, files)], check=True
    )
    wheels = [path for path in files if path.suffix == ".whl"]
    found = [text for wheel in wheels for text in problems(wheel)]
    if found:
        sys.exit("\n".join(found))
    with tempfile.TemporaryDirectory() as name:
        python = install(dist, Path(name), sorted({metadata(wheel)["Name"] for wheel in wheels}))
        for isa in ("baseline", ""):
            settings = {**os.environ, "OPFORGE_ISA": isa, "PATH": str(python.parent)}
            subprocess.run([str(python), str(SMOKE)], cwd=name, env=settings, check=True)


if __name__ == "__main__":
    main()
