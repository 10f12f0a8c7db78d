"""RECORD of an installed distribution: its digest, and files that differ from it.

Every installer writes RECORD, with a digest of each file of the wheel. It shows whether files were
changed since, but not who created them.
"""

import base64
import csv
import hashlib
import json
from importlib.metadata import Distribution, FileHash, PackagePath
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = [
    "changed_files",
    "editable_folder",
    "has_record",
    "listed_files",
    "other_contents",
    "record_hash",
]

#: Files that installers add to the metadata folder; they differ between installations.
_INSTALLERS = {"INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json"}


def has_record(distribution: Distribution) -> bool:
    """Return whether a distribution has a RECORD with at least one digest."""
    return bool(_hashed_files(distribution))


def listed_files(distribution: Distribution) -> list[PackagePath]:
    """Return the files that RECORD lists, except those outside the distribution's folder.

    Files outside it are scripts, which the installer generates, or entries of a damaged list.
    Missing files are included, unlike in ``Distribution.files`` from Python 3.12 on.
    """
    try:
        lines = (distribution.read_text("RECORD") or "").splitlines()
        files = [_parse_row(distribution, *row) for row in csv.reader(lines)]
    except (OSError, TypeError, ValueError, csv.Error):
        return []
    return [file for file in files if not file.is_absolute() and ".." not in file.parts]


def _parse_row(distribution: Distribution, name: str, digest: str, size: str) -> PackagePath:
    """Return one row in the form of ``Distribution.files``."""
    file = PackagePath(name)
    file.hash = FileHash(digest) if digest else None
    file.size = int(size) if size else None
    file.dist = distribution
    return file


def editable_folder(distribution: Distribution) -> str:
    """Return the project folder of an editable installation; empty for others."""
    try:
        origin = json.loads(distribution.read_text("direct_url.json") or "{}")
        editable = origin.get("dir_info", {}).get("editable", False)
        return unquote(urlsplit(origin["url"]).path) if editable else ""
    except (OSError, ValueError, AttributeError, LookupError):
        return ""


def record_hash(distribution: Distribution) -> str:
    """Return a digest of the contents that RECORD lists, or an empty string without a RECORD.

    A wheel has the same digest wherever it is installed, and by any tool.

    Returns
    -------
    str
        ``sha256:`` and 64 digits.
    """
    lines = sorted(f"{file.as_posix()},{_digest(file)}\n" for file in _hashed_files(distribution))
    if not lines:
        return ""
    return f"sha256:{hashlib.sha256(''.join(lines).encode()).hexdigest()}"


def changed_files(distribution: Distribution) -> dict[str, str]:
    """Compare the installed files with RECORD.

    Returns
    -------
    dict of str to str
        File -> "changed", "missing", or "not checked" if Python cannot compute its kind of digest.
    """
    found = {}
    for file in _hashed_files(distribution):
        state = _state(file)
        if state:
            found[file.as_posix()] = state
    return found


def other_contents(distribution: Distribution, digest: str, origin: str) -> str:
    """Return how installed contents differ from those of a digest; empty if they do not.

    `origin` says in words where the digest comes from.
    """
    if record_hash(distribution) != digest:
        return f"its contents differ from those {origin}"
    changed = changed_files(distribution)
    return f"its files differ from its RECORD: {', '.join(sorted(changed))}" if changed else ""


def _hashed_files(distribution: Distribution) -> list[PackagePath]:
    """Return the files that came with the wheel."""
    files = listed_files(distribution)
    return [file for file in files if file.hash is not None and file.name not in _INSTALLERS]


def _digest(file: PackagePath) -> str:
    return "" if file.hash is None else f"{file.hash.mode}={file.hash.value}"


def _state(file: PackagePath) -> str:
    """Return how one file differs from RECORD; empty if it does not."""
    if file.hash is None or file.hash.mode not in hashlib.algorithms_guaranteed:
        return "not checked"
    path = Path(str(file.locate()))
    try:
        if not path.is_file():
            return "missing"
        with path.open("rb") as content:
            digest = hashlib.file_digest(content, file.hash.mode).digest()
    except OSError:
        return "missing"
    text = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    return "" if text == file.hash.value.rstrip("=") else "changed"
