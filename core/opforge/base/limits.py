"""CPU and memory limits of this process, including those of control groups.

In a container that is limited to two CPUs and 4 GiB, only the control group reports these numbers;
everything else reports those of the machine.
"""

import os
from collections.abc import Iterator

__all__ = ["available_cpus", "cpu_quota", "memory_limit"]

StrPath = str | os.PathLike[str]

_ROOT = "/sys/fs/cgroup"
_OWN = "/proc/self/cgroup"
#: Control groups of version 1 report a number of at least this size if memory is not limited.
_UNLIMITED = 1 << 60


def available_cpus() -> int:
    """Return the number of CPUs that this process may use.

    This is the smaller of its scheduling affinity and its control group's CPU quota (rounded up),
    so that a container limited to two CPUs of a large machine gets two threads.

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


def cpu_quota(root: StrPath = _ROOT, own: StrPath = _OWN) -> float | None:
    """Return the CPU quota of control groups, in CPUs, or None if unlimited."""
    quotas = []
    for folder in _folders("cpu", root, own):
        try:
            if os.path.exists(os.path.join(folder, "cpu.max")):  # version 2
                quota, period = _text(folder, "cpu.max").split()[:2]
            else:
                quota = _text(folder, "cpu.cfs_quota_us").strip()
                period = _text(folder, "cpu.cfs_period_us").strip()
            if quota not in {"max", "-1"} and int(period) > 0:
                quotas.append(int(quota) / int(period))
        except (OSError, ValueError):
            continue
    return min(quotas, default=None)


def memory_limit(root: StrPath = _ROOT, own: StrPath = _OWN) -> int | None:
    """Return the maximum number of bytes that this process can allocate, or None if unknown.

    This is the memory and swap space of the machine, or the limit of control groups if lower.
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
                limits.append(int(_text(folder, name)))
            except (OSError, ValueError):  # "max"
                continue
    return min((limit for limit in limits if limit < _UNLIMITED), default=None)


def _text(folder: str, name: str) -> str:
    with open(os.path.join(folder, name)) as file:
        return file.read()


def _folders(controller: str, root: StrPath, own: StrPath) -> Iterator[str]:
    """Yield the folders of this process's control group and of all groups above it."""
    root = os.fspath(root)
    yield root
    yield os.path.join(root, controller)
    try:
        with open(own) as lines:
            entries = [line.rstrip("\n").split(":", 2) for line in lines]
    except OSError:
        return
    for entry in entries:
        if len(entry) != 3 or (entry[1] and controller not in entry[1].split(",")):
            continue
        group = os.path.join(root, entry[1]) if entry[1] else root
        yield group
        for name in filter(None, entry[2].split("/")):
            group = os.path.join(group, name)
            yield group
