"""Print the version of core and plugins, which are released together, or change it.

    python scripts/version.py [NEW]

Every file that states it is read; the script exits with an error if they disagree. A new version is
written into all of them, and their requirements on each other are updated: at least the same first
two numbers, or the candidate itself.
"""

import re
import sys
from pathlib import Path

from release_metadata import distributions

ROOT = Path(__file__).resolve().parents[1]
_STATED = re.compile(r'(?<=^version = ")[^"]*(?=")|(?<=^VERSION = ")[^"]*(?=")', re.MULTILINE)
_REQUIRED = re.compile(r'("opforge[-a-z]*(?:\[[a-z,]+\])?>=)[0-9.abrc]+(?=")')
_VERSION = re.compile(r"\d+\.\d+\.\d+((a|b|rc)\d+)?")


def version_files(root: Path) -> list[Path]:
    """Return the files that state the version."""
    projects = [folder / "pyproject.toml" for folder in distributions(root)]
    return [*projects, root / "core" / "opforge" / "base" / "version.py"]


def stated(root: Path) -> str:
    """Return the version; raise SystemExit if two files disagree."""
    found = {
        path: _STATED.findall(path.read_text(encoding="utf-8")) for path in version_files(root)
    }
    versions = {version for texts in found.values() for version in texts}
    if len(versions) != 1 or not all(len(texts) == 1 for texts in found.values()):
        lines = [f"{path.relative_to(root)}: {', '.join(texts)}" for path, texts in found.items()]
        sys.exit("\n".join(["files state different versions:", *lines]))
    return versions.pop()


def change(root: Path, new: str) -> None:
    """Write a version into every file that states it."""
    if not _VERSION.fullmatch(new):
        sys.exit(f"{new!r} is not a version; write it as 1.2.3 or 1.2.3rc1")
    is_final = new.replace(".", "").isdigit()
    least = ".".join(new.split(".")[:2]) if is_final else new
    for path in version_files(root):
        text = _STATED.sub(new, path.read_text(encoding="utf-8"), count=1)
        path.write_text(_REQUIRED.sub(rf"\g<1>{least}", text), encoding="utf-8")


def main() -> None:
    """Print the version, or change it."""
    stated(ROOT)
    for new in sys.argv[1:2]:
        change(ROOT, new)
    print(stated(ROOT))


if __name__ == "__main__":
    main()
