"""What a measurement was made on: processor, memory, versions. Figures without these say little."""

import os
import platform
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .libraries import version

__all__ = ["cores", "describe"]


def cores() -> int:
    """Return how many cores this process may run on."""
    return len(os.sched_getaffinity(0))


def describe(libraries: Iterable[str], threads: int) -> dict[str, Any]:
    """Return the machine as a dictionary for JSON.

    Parameters
    ----------
    libraries : iterable of str
        Libraries whose versions to tell.
    threads : int
        Threads that operators were allowed.
    """
    from ..native import isa

    return {
        "processor": _processor(),
        "cores": cores(),
        "caches": _caches(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "threads": threads,
        "instruction_set": isa.best(),
        "versions": {name: version(name) for name in libraries},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _caches() -> list[str]:
    """Return the caches of the first core, for instance ``"L2 512K"``."""
    found = []
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        try:
            level, kind, size = (
                (folder / name).read_text().strip() for name in ("level", "type", "size")
            )
        except OSError:
            continue
        if kind != "Instruction":
            found.append(f"L{level} {size}")
    return found
