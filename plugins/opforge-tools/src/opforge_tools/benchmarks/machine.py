"""Description of the hardware and software of a measurement."""

import os
import platform
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from opforge.base import config
from opforge.base.limits import available_cpus
from opforge.native.kernels import isa
from opforge.native.threads import parallel

from .libraries import version

__all__ = ["default_threads", "describe"]


def default_threads() -> int:
    """Return the default number of threads of opforge in this environment."""
    return int(parallel.get_num_threads())


def describe(libraries: Iterable[str], threads: int) -> dict[str, Any]:
    """Return a JSON-serializable description of the machine.

    Parameters
    ----------
    libraries : iterable of str
        Libraries whose versions are included.
    threads : int
        Number of threads that operators may use.
    """
    return {
        "processor": _processor(),
        "cores": available_cpus(),
        "caches": _caches(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "threads": threads,
        "instruction_set": isa.best(),
        "blas_overrides": config.blas_overrides(),
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
