"""Peak memory of a training step, the process's own memory taken off.

What a process holds once its library is imported is no part of a step. Neither is what the first
step of any network loads: code of kernels, caches, stacks of threads. So the step is measured
beside a network of the same kind that has made steps of batch 1 and is still there.
"""

from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from .case import Case
from .cases import find
from .libraries import Library, load, prepare
from .processes import Failure, Process

__all__ = ["NETWORKS", "compare_peaks", "peak_of"]

Row = dict[str, Any]
#: Cases with a size ``batch``, each for the batches that it is measured at.
NETWORKS = {
    "MLP 784-128-64-10, training step, batch 64": (64, 1024),
    "ResNet-18 of 32x32, training step, batch 32": (32,),
}
_STEPS = 10


def _status(field: str) -> int:
    """Return a field of the process's status in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"/proc/self/status has no {field}")


def peak_of(case: Case, name: str, threads: int) -> Row:
    """Return what a training step needs; the process must be a fresh one.

    Parameters
    ----------
    case : Case
        One with a size ``batch``.
    name : {"opforge", "torch"}
        Library.
    threads : int

    Returns
    -------
    dict
        ``"imported"``: bytes after the import; ``"peak"``: most bytes during the steps;
        ``"beyond_import"`` and ``"step"``: what the peak is above the import, and above the process
        with a small network of the same kind.
    """
    library = load(name)
    library.set_threads(threads)
    imported = _status("VmRSS")
    small = _run(case.resized(batch=1), name, library)
    before = _status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts from here
    large = _run(case, name, library)
    peak = _status("VmHWM")
    del small, large
    return {
        "imported": imported,
        "peak": peak,
        "beyond_import": peak - imported,
        "step": peak - before,
    }


def _run(case: Case, name: str, library: Library) -> Callable[[], Any]:
    run = prepare(case, name, library)
    for _ in range(_STEPS):
        run()
    library.wait()
    return run


def compare_peaks(libraries: Sequence[str], threads: int) -> list[Row]:
    """Return rows for each network and batch, with what `peak_of` gives for each library.

    The second row of a batch is the hybridized network; peers run eagerly in both.

    Returns
    -------
    list of dict
        A library that failed has an ``"error"`` instead; where a plugin is missing, opforge has the
        reason as ``"skipped"``.
    """
    rows = []
    for network, batches in NETWORKS.items():
        eager = {name: find(network) for name in libraries}
        for batch, suffix in product(batches, ("", ", hybridized")):
            row: Row = {"name": f"{network.rpartition(' ')[0]} {batch}{suffix}"}
            for library, case in {**eager, "opforge": find(f"{network}{suffix}")}.items():
                row[library] = _peak_in_process(case.resized(batch=batch), library, threads)
            rows.append(row)
    return rows


def _peak_in_process(case: Case, library: str, threads: int) -> Row:
    with Process(library, threads) as process:
        try:
            return process.peak(case, threads)
        except Failure as failure:
            return failure.as_row()
