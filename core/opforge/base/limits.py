"""Limits of this process: CPUs and memory, including those of control groups.

A container that is limited to two CPUs and 4 GiB sees the whole machine's numbers everywhere but in
its control group.
"""

import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["available_cpus", "cpu_quota", "memory_limit"]

_ROOT = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")
#: What control groups of version 1 say where there is no limit is of this size or more.
_UNLIMITED = 1 << 60


def available_cpus() -> int:
    """Return how many CPUs this process may use at once.

    The smaller of its scheduling affinity and its control group's CPU quota (rounded up), so that
    a container limited to two CPUs of a large machine gets two threads.

    Returns
    -------
    int, at least 1

    Examples
    --------
    >>> available_cpus() >= 1
    True
    """
    try:
        count = len(os.sched_getaffinity(0))
    except AttributeError:  # not Linux
        count = os.cpu_count() or 1
    quota = cpu_quota()
    if quota is not None:
        count = min(count, max(1, int(-(-quota // 1))))
    return max(1, count)


def cpu_quota(root: Path = _ROOT, own: Path = _OWN) -> float | None:
    """Return how many CPUs' time control groups grant this process, or None where unlimited."""
    quotas = []
    for folder in _folders("cpu", root, own):
        try:
            if (folder / "cpu.max").exists():  # version 2
                quota, period = (folder / "cpu.max").read_text().split()[:2]
            else:
                quota = (folder / "cpu.cfs_quota_us").read_text().strip()
                period = (folder / "cpu.cfs_period_us").read_text().strip()
            if quota not in {"max", "-1"} and int(period) > 0:
                quotas.append(int(quota) / int(period))
        except (OSError, ValueError):
            continue
    return min(quotas, default=None)


def memory_limit(root: Path = _ROOT, own: Path = _OWN) -> int | None:
    """Return how many bytes of memory this process can have at most, or None where unknown.

    Memory and swap space of the machine, or the limit of its control groups where that is less.
    """
    limits = []
    try:
        with open("/proc/meminfo") as lines:
            sizes = dict(line.split(":", 1) for line in lines)
        kib = sum(int(sizes[name].split()[0]) for name in ("MemTotal", "SwapTotal"))
        limits.append(kib << 10)
    except (OSError, KeyError, ValueError):
        pass
    for folder in _folders("memory", root, own):
        for name in ("memory.max", "memory.limit_in_bytes"):
            try:
                limits.append(int((folder / name).read_text()))
            except (OSError, ValueError):  # "max"
                continue
    return min((limit for limit in limits if limit < _UNLIMITED), default=None)


def _folders(controller: str, root: Path, own: Path) -> Iterator[Path]:
    """Yield the folders of this process's control group and of all groups above it."""
    yield root
    yield root / controller
    try:
        with open(own) as lines:
            entries = [line.rstrip("\n").split(":", 2) for line in lines]
    except OSError:
        return
    for entry in entries:
        if len(entry) != 3 or (entry[1] and controller not in entry[1].split(",")):
            continue
        group = root / entry[1] if entry[1] else root
        yield group
        for name in Path(entry[2].lstrip("/")).parts:
            group = group / name
            yield group
