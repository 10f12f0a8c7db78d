"""Peak memory of a case that computes gradients, the process's own memory taken off.

What a process holds once its library is imported is no part of a step. Neither is what the first
step of any network loads: code of kernels, caches, stacks of threads. So the step is measured
beside a case of the same kind that has made steps with one size at 1 and is still there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .case import Case
from .cases import CASES
from .libraries import Library, load, prepare
from .processes import Failure, Process

__all__ = ["PEAKS", "Peaks", "compare_peaks", "peak_of"]

Row = dict[str, Any]
_HYBRIDIZED = ", hybridized"


@dataclass(frozen=True)
class Peaks:
    """A case that is measured at several values of one of its sizes.

    Attributes
    ----------
    name : str
        With ``{}`` where names have the value; one of the values is that of a case of `CASES`.
    size : str
    values : tuple of int
    """

    name: str
    size: str
    values: tuple[int, ...]

    def at(self, value: int, library: str) -> Case:
        """Return the case at a value; peers run what is hybridized eagerly."""
        name = self.name if library == "opforge" else self.name.removesuffix(_HYBRIDIZED)
        names = {name.format(value) for value in self.values}
        case = next(case for case in CASES if case.name in names)
        return case.resized(**{self.size: value})


_PERCEPTRON = "MLP 784-128-64-10, training step, batch {}"
_RESNET = "ResNet-18 of 32x32, training step, batch {}"
PEAKS = (
    *(Peaks(_PERCEPTRON + how, "batch", (64, 1024)) for how in ("", _HYBRIDIZED)),
    *(Peaks(_RESNET + how, "batch", (32,)) for how in ("", _HYBRIDIZED)),
    Peaks("attention, 1x8x{}x64, both", "length", (128, 512, 1024, 2048, 4096)),
    Peaks("LSTM 128, hybridized, {} lengths in turn, both", "lengths", (10, 40)),
)
_STEPS = 10


def _status(field: str) -> int:
    """Return a field of the process's status in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"/proc/self/status has no {field}")


def peak_of(case: Case, size: str, name: str, threads: int) -> Row:
    """Return what a step needs; the process must be a fresh one.

    Parameters
    ----------
    case : Case
    size : str
        The size that is 1 in the case that stays beside it.
    name : {"opforge", "torch"}
        Library.
    threads : int

    Returns
    -------
    dict
        ``"imported"``: bytes after the import; ``"peak"``: most bytes during the steps;
        ``"beyond_import"`` and ``"step"``: what the peak is above the import, and above the process
        with a small case of the same kind.
    """
    library = load(name)
    library.set_threads(threads)
    imported = _status("VmRSS")
    small = _run(case.resized(**{size: 1}), name, library)
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
    """Return rows for each case and value, with what `peak_of` gives for each library.

    Returns
    -------
    list of dict
        A library that failed has an ``"error"`` instead; where a plugin is missing, opforge has the
        reason as ``"skipped"``.
    """
    rows = []
    for peaks in PEAKS:
        for value in peaks.values:
            row: Row = {"name": peaks.name.format(value)}
            for library in libraries:
                case = peaks.at(value, library)
                row[library] = _peak_in_process(case, peaks.size, library, threads)
            rows.append(row)
    return rows


def _peak_in_process(case: Case, size: str, library: str, threads: int) -> Row:
    with Process(library, threads) as process:
        try:
            return process.peak(case, size, threads)
        except Failure as failure:
            return failure.as_row()
