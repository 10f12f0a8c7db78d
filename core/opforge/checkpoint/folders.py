"""A checkpoint on disk: a folder of files, which is one from the moment that its manifest is there.

The manifest has the length and SHA-256 of each file, and of itself. It is written last and by a
rename, so that a process that dies at any time leaves folders that are checkpoints, and others that
are not.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from typing import Any

from ..base.errors import OpforgeError
from ..base.files import replacing

__all__ = [
    "MANIFEST",
    "finish_folder",
    "listed_folders",
    "new_folder",
    "read_manifest",
    "remove_folder",
]

MANIFEST = "manifest.json"
_CHUNK = 1 << 20


def new_folder(root: str, step: int) -> str:
    """Make an empty folder for a checkpoint and return its path."""
    os.makedirs(root, exist_ok=True)
    path = plain = os.path.join(root, f"{step:08d}")
    attempt = 0
    while True:
        try:
            os.mkdir(path)
            return path
        except FileExistsError:  # the same step was saved before, or was not finished
            attempt += 1
            path = f"{plain}.{attempt}"


def finish_folder(path: str, facts: dict[str, Any]) -> None:
    """Make a folder a checkpoint: its files are on disk, and the manifest says so."""
    files = {name: _digest(os.path.join(path, name), True) for name in sorted(os.listdir(path))}
    body = {**facts, "files": files}
    with replacing(os.path.join(path, MANIFEST)) as file:
        file.write(json.dumps({"checkpoint": body, "sha256": _signature(body)}, indent=1).encode())
        file.flush()
        os.fsync(file.fileno())
    _sync_folder(path)
    _sync_folder(os.path.dirname(path))


def read_manifest(path: str) -> dict[str, Any]:
    """Return what `finish_folder` was given, after a check of all files.

    Raises
    ------
    OpforgeError
        A file is missing, or is not what was written.
    """
    manifest = os.path.join(path, MANIFEST)
    try:
        with open(manifest, "rb") as file:
            whole = json.load(file)
        body: dict[str, Any] = whole["checkpoint"]
        is_sound = _signature(body) == whole["sha256"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OpforgeError(f"{manifest} cannot be read: {error!r}") from error
    if not is_sound:
        raise OpforgeError(f"{manifest} was changed after it was written")
    for name, expected in body["files"].items():
        file_path = os.path.join(path, name)
        try:
            found = _digest(file_path, False)
        except OSError as error:
            raise OpforgeError(f"{file_path} cannot be read: {error!r}") from error
        if found != expected:
            raise OpforgeError(
                f"{file_path} is damaged: got {found[0]} bytes with SHA-256 {found[1][:12]}..., "
                f"expected {expected[0]} with {expected[1][:12]}..."
            )
    return body


def listed_folders(root: str) -> Iterator[tuple[int, str, bool]]:
    """Yield step, path and whether there is a manifest of each folder, newest first."""
    found = []
    names = os.listdir(root) if os.path.isdir(root) else []
    for name in names:
        step, _, attempt = name.partition(".")
        path = os.path.join(root, name)
        if step.isdecimal() and (attempt or "0").isdecimal() and os.path.isdir(path):
            found.append((int(step), int(attempt or 0), path))
    for number, _, path in sorted(found, reverse=True):
        yield number, path, os.path.exists(os.path.join(path, MANIFEST))


def remove_folder(path: str) -> None:
    """Remove a checkpoint: first what makes it one."""
    manifest = os.path.join(path, MANIFEST)
    if os.path.exists(manifest):
        os.remove(manifest)
    shutil.rmtree(path)


def _digest(path: str, sync: bool) -> list[Any]:
    """Return the length and the hash of a file, which is on disk afterwards if `sync`."""
    sha, length = hashlib.sha256(), 0
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            sha.update(chunk)
            length += len(chunk)
        if sync:
            os.fsync(file.fileno())
    return [length, sha.hexdigest()]


def _signature(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _sync_folder(path: str) -> None:
    """Let a folder's entries be on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
