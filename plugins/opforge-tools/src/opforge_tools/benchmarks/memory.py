"""Peak memory of a training step, excluding the baseline of the process.

Memory allocated by importing the library is not part of a step, nor is memory that the first step
of any network allocates: kernel code, caches, thread stacks. So the step is measured while a small
case of the same kind, with one size set to 1, is still alive after its own steps.
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
    """A case to measure at several values of one of its sizes.

    Attributes
    ----------
    name : str
        Template with ``{}`` for the value; one of the values must be that of a case of `CASES`.
    size : str
    values : tuple of int
    """

    name: str
    size: str
    values: tuple[int, ...]

    def at(self, value: int, library: str) -> Case:
        """Return the case at a value; peers run hybridized cases eagerly."""
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
    """Return a memory field of ``/proc/self/status`` in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"/proc/self/status has no {field}")


def peak_of(case: Case, size: str, name: str, threads: int) -> Row:
    """Return the memory of a step; call it in a fresh process.

    Parameters
    ----------
    case : Case
    size : str
        The size that is 1 in the small case that is kept alive.
    name : {"opforge", "torch"}
        Library.
    threads : int

    Returns
    -------
    dict
        ``"imported"``: bytes after the import; ``"peak"``: maximum during the steps;
        ``"beyond_import"`` and ``"step"``: difference of the peak to ``"imported"`` and to the
        process with the small case.
    """
    library = load(name)
    library.set_threads(threads)
    imported = _status("VmRSS")
    small = _run(case.resized(**{size: 1}), name, library)
    before = _status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # reset the peak
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
    """Return a row for each case and value, with the result of `peak_of` for each library.

    Returns
    -------
    list of dict
        A library that failed has an ``"error"`` instead; if a plugin is missing, opforge has the
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
