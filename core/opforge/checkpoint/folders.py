"""Checkpoint folders on disk; a folder is a valid checkpoint once its manifest exists.

The manifest has the length and SHA-256 of each file, and its own hash. It is written last, by a
rename, so a process that is killed at any time leaves either a complete checkpoint or a folder
without a manifest.
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
    """Create an empty folder for a checkpoint and return its path."""
    os.makedirs(root, exist_ok=True)
    path = plain = os.path.join(root, f"{step:08d}")
    attempt = 0
    while True:
        try:
            os.mkdir(path)
            return path
        except FileExistsError:  # the step was saved before, or its save was interrupted
            attempt += 1
            path = f"{plain}.{attempt}"


def finish_folder(path: str, facts: dict[str, Any]) -> None:
    """Sync the files of a folder to disk and write its manifest, which makes it a checkpoint."""
    files = {name: _digest(os.path.join(path, name), True) for name in sorted(os.listdir(path))}
    body = {**facts, "files": files}
    with replacing(os.path.join(path, MANIFEST)) as file:
        file.write(json.dumps({"checkpoint": body, "sha256": _signature(body)}, indent=1).encode())
    _sync_folder(path)
    _sync_folder(os.path.dirname(path))


def read_manifest(path: str) -> dict[str, Any]:
    """Return the facts passed to `finish_folder`, after verifying all files.

    Raises
    ------
    OpforgeError
        A file is missing or differs from what was written.
    """
    manifest = os.path.join(path, MANIFEST)
    try:
        with open(manifest, "rb") as file:
            manifest_json = json.load(file)
        body: dict[str, Any] = manifest_json["checkpoint"]
        is_intact = _signature(body) == manifest_json["sha256"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OpforgeError(f"{manifest} cannot be read: {error!r}") from error
    if not is_intact:
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
                f"expected {expected[0]} bytes with {expected[1][:12]}..."
            )
    return body


def listed_folders(root: str) -> Iterator[tuple[int, str, bool]]:
    """Yield step, path and whether a manifest exists for each folder, newest first."""
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
    """Remove a checkpoint, starting with its manifest so that it becomes invalid immediately."""
    manifest = os.path.join(path, MANIFEST)
    if os.path.exists(manifest):
        os.remove(manifest)
    shutil.rmtree(path)


def _digest(path: str, sync: bool) -> list[Any]:
    """Return the length and the SHA-256 of a file; flush it to disk first if `sync`."""
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
    """Flush a folder's directory entries to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
