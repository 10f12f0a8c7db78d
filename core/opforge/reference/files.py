"""Files that are generated: written where they differ, and found where they are stale."""

from collections.abc import Mapping
from pathlib import Path

__all__ = ["stale_files", "write_files"]


def write_files(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write texts by path inside `folder`; return those that were not there or differed."""
    stale = stale_files(folder, texts)
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts[path.relative_to(folder).as_posix()], encoding="utf-8")
    return stale


def stale_files(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Return the files that are missing or whose text is another.

    Examples
    --------
    >>> [path.name for path in stale_files(Path("/no/such/folder"), {"a/b.md": ""})]
    ['b.md']
    """
    targets = {folder / name: text.encode() for name, text in texts.items()}
    return [
        path for path, text in targets.items() if not path.is_file() or path.read_bytes() != text
    ]
