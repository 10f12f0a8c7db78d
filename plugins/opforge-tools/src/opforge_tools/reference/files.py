"""Generated files: write those that differ, find stale and leftover ones."""

from collections.abc import Mapping
from pathlib import Path

from opforge.base.files import replacing

__all__ = ["leftover_files", "stale_files", "write_files"]


def write_files(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write texts by path inside `folder`; return the paths that were missing or differed."""
    stale = stale_files(folder, texts)
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:  # an editor may read it meanwhile
            file.write(texts[path.relative_to(folder).as_posix()].encode())
    return stale


def stale_files(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Return the files that are missing or have a different text.

    Examples
    --------
    >>> [path.name for path in stale_files(Path("/no/such/folder"), {"a/b.md": ""})]
    ['b.md']
    """
    targets = {folder / name: text.encode() for name, text in texts.items()}
    return [
        path for path, text in targets.items() if not path.is_file() or path.read_bytes() != text
    ]


def leftover_files(folder: Path, texts: Mapping[str, str], mark: str) -> list[Path]:
    """Return the files of earlier runs, which start with `mark`, that are not in `texts`."""
    kept = {folder / name for name in texts}
    found = []
    for path in sorted(folder.rglob("*.md")):
        if path not in kept and path.is_file():
            with path.open("rb") as file:
                if file.read(len(mark.encode())) == mark.encode():
                    found.append(path)
    return found
