"""Shared memory that dead runs left behind: MPICH's segments of ranks that were killed.

They stay in /dev/shm, a megabyte or more each, until the machine is restarted.
"""

import os
import time
from pathlib import Path

__all__ = ["remove_leftovers"]

_FOLDER, _PATTERN = Path("/dev/shm"), "mpich_shm_*"
#: Seconds in which the ranks of a run open each other's segments: younger ones are left alone.
_YOUNG = 60.0


def remove_leftovers(folder: Path = _FOLDER, young: float = _YOUNG) -> list[str]:
    """Remove segments of this user that no process has mapped; return their names.

    Parameters
    ----------
    folder : pathlib.Path
    young : float
        Minimum age in seconds; newer segments are kept.
    """
    before = time.time() - young
    old = [path for path in folder.glob(_PATTERN) if _is_ours(path, before)]
    if not old:
        return []
    mapped = _mapped()
    removed = []
    for path in old:
        if str(path) not in mapped:
            path.unlink(missing_ok=True)  # another rank may do the same
            removed.append(path.name)
    return removed


def _is_ours(path: Path, before: float) -> bool:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return False
    return status.st_uid == os.getuid() and max(status.st_mtime, status.st_ctime) < before


def _mapped() -> set[str]:
    """Return the files that processes of this user have mapped, as far as /proc tells."""
    found: set[str] = set()
    for maps in Path("/proc").glob("[0-9]*/maps"):
        try:
            lines = maps.read_text(errors="replace").splitlines()
        except OSError:  # it has ended, or is another user's
            continue
        found.update(line.split(maxsplit=5)[5] for line in lines if "mpich_shm_" in line)
    return {name.removesuffix(" (deleted)") for name in found}
