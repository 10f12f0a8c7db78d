"""Growth of cost with size: time per element from one to a hundred million.

A cliff between neighbouring sizes would show a threshold in the wrong place: from work on the
calling thread to work on several, from one kernel to another. Where data outgrows a cache, time for
each element rises on any machine; a peer's figures beside opforge's tell the two apart.
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
    """A case at many sizes.

    Attributes
    ----------
    name : str
    case : str
        Name of the case in `CASES`.
    sizes : callable
        From a number of elements to the case's sizes.
    """

    name: str
    case: str
    sizes: Callable[[int], dict[str, int]]

    def at(self, count: int) -> Case:
        """Return the case with about `count` elements."""
        return find(self.case).resized(**self.sizes(count))


def _rows_of(width: int, count: int) -> tuple[int, int]:
    """Return how many rows of which width have about `count` elements."""
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
    """Return the sizes that are measured, evenly spaced on a logarithmic scale.

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
    """Return the largest growth of time for each element, and the size where it is reached.

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
        The library cannot do it.
    """
    rows = []
    with Process(library, threads) as process:
        for each in sweeps:
            points = []
            for count in sizes:
                report(f"{library}: {each.name}, {count} elements")
                process.prepare(each.at(count), threads)
                samples = [s for _ in range(_ROUNDS) for s in process.round(_SECONDS)]
                # The lowest: the question is what a size costs, not what the machine did beside it.
                lowest = summarise(samples).lowest
                points.append({"elements": count, "seconds": lowest, "per_element": lowest / count})
            worst, where = worst_step(points)
            rows.append({"name": each.name, "points": points, "worst": worst, "worst_at": where})
    return rows
