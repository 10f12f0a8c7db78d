"""Scaling with size: time per element from one to a hundred million elements.

A jump between adjacent sizes reveals a badly placed threshold: from one thread to several, or from
one kernel to another. When data outgrow a cache, the time per element rises on any machine;
comparing with a peer distinguishes the two.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .case import Case
from .cases import find
from .processes import Process
from .sampling import summarise

__all__ = ["SWEEPS", "Sweep", "counts", "sweep", "worst_step"]

Row = dict[str, Any]
_ROUNDS = 3
_SECONDS = 0.05


@dataclass(frozen=True)
class Sweep:
    """A case to measure at many sizes.

    Attributes
    ----------
    name : str
    case : str
        Name of the case in `CASES`.
    sizes : callable
        Maps a number of elements to the case's sizes.
    """

    name: str
    case: str
    sizes: Callable[[int], dict[str, int]]

    def at(self, count: int) -> Case:
        """Return the case with about `count` elements."""
        return find(self.case).resized(**self.sizes(count))


def _rows_of(width: int, count: int) -> tuple[int, int]:
    """Return rows and columns with about `count` elements in total."""
    columns = min(count, width)
    return count // columns, columns


def _softmax_sizes(count: int) -> dict[str, int]:
    rows, columns = _rows_of(1000, count)
    return {"rows": rows, "columns": columns}


def _dense_sizes(count: int) -> dict[str, int]:
    rows, columns = _rows_of(64, count)
    return {"m": rows, "k": columns, "n": 64}


def _vector_sizes(count: int) -> dict[str, int]:
    return {"n": count}


SWEEPS = (
    Sweep("add", "add, 1e7, existing output", _vector_sizes),
    Sweep("exp", "exp, 1e7, existing output", _vector_sizes),
    Sweep("sum", "sum, 1e7", _vector_sizes),
    Sweep("softmax", "softmax, 8192x1000, existing output", _softmax_sizes),
    Sweep("dense, 64 outputs", "dense with bias, 64x784x128", _dense_sizes),
)


def counts(most: int = 10**8, for_each_decade: int = 2) -> list[int]:
    """Return the sizes to measure, evenly spaced on a logarithmic scale.

    Examples
    --------
    >>> counts(1000)
    [1, 3, 10, 32, 100, 316, 1000]
    """
    found, step = [], 0
    while (count := round(10 ** (step / for_each_decade))) <= most:
        found.append(count)
        step += 1
    return found


def worst_step(points: Sequence[Row]) -> tuple[float, int]:
    """Return the largest increase of time per element, and the size at which it occurs.

    Examples
    --------
    >>> worst_step([
    ...     {"elements": 1, "per_element": 4.0},
    ...     {"elements": 10, "per_element": 1.0},
    ...     {"elements": 100, "per_element": 1.5},
    ... ])
    (1.5, 100)
    """
    return max(
        (after["per_element"] / before["per_element"], after["elements"])
        for before, after in itertools.pairwise(points)
    )


def sweep(
    sweeps: Sequence[Sweep],
    sizes: Sequence[int],
    library: str,
    threads: int,
    report: Callable[[str], object] = lambda text: None,
) -> list[Row]:
    """Measure sweeps in one library.

    Returns
    -------
    list of dict
        ``"name"``, ``"points"`` (``"elements"``, ``"seconds"``, ``"per_element"``), ``"worst"`` and
        ``"worst_at"`` of `worst_step`.

    Raises
    ------
    Failure
        The library cannot run a case.
    """
    rows = []
    with Process(library, threads) as process:
        for each in sweeps:
            points = []
            for count in sizes:
                report(f"{library}: {each.name}, {count} elements")
                process.prepare(each.at(count), threads)
                samples = [s for _ in range(_ROUNDS) for s in process.round(_SECONDS)]
                # The minimum excludes noise from other processes.
                lowest = summarise(samples).lowest
                points.append({"elements": count, "seconds": lowest, "per_element": lowest / count})
            worst, where = worst_step(points)
            rows.append({"name": each.name, "points": points, "worst": worst, "worst_at": where})
    return rows
