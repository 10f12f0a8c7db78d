"""Shared memory left behind by crashed runs: MPICH's segments of ranks that were killed.

They stay in /dev/shm, a megabyte or more each, until the machine is restarted.
"""

import os
import time
from pathlib import Path

__all__ = ["remove_stale_segments"]

_FOLDER, _PATTERN = Path("/dev/shm"), "mpich_shm_*"
#: Seconds during which the ranks of a run open each other's segments: newer ones are kept.
_MIN_AGE = 60.0


def remove_stale_segments(folder: Path = _FOLDER, min_age: float = _MIN_AGE) -> list[str]:
    """Remove segments of this user that no process has mapped, and return their names.

    Parameters
    ----------
    folder : pathlib.Path
    min_age : float
        Minimum age in seconds; newer segments are kept.
    """
    before = time.time() - min_age
    old = [path for path in folder.glob(_PATTERN) if _is_own_and_older(path, before)]
    if not old:
        return []
    mapped = _mapped_files()
    removed = []
    for path in old:
        if str(path) not in mapped:
            path.unlink(missing_ok=True)  # another rank may remove it at the same time
            removed.append(path.name)
    return removed


def _is_own_and_older(path: Path, before: float) -> bool:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return False
    return status.st_uid == os.getuid() and max(status.st_mtime, status.st_ctime) < before


def _mapped_files() -> set[str]:
    """Return the files mapped by processes of this user, as far as /proc shows them."""
    found: set[str] = set()
    for maps in Path("/proc").glob("[0-9]*/maps"):
        try:
            lines = maps.read_text(errors="replace").splitlines()
        except OSError:  # the process has ended, or is another user's
            continue
        found.update(line.split(maxsplit=5)[5] for line in lines if "mpich_shm_" in line)
    return {name.removesuffix(" (deleted)") for name in found}
