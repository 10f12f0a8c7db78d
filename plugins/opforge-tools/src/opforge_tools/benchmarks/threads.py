"""Scaling of kernels with the number of threads, on about 1e7 elements each."""

from collections.abc import Callable, Sequence
from typing import Any

from .case import Case
from .cases import find
from .limits import Limits
from .processes import Failure, Process
from .sampling import summarise

__all__ = ["SCALED", "scale"]

Row = dict[str, Any]
_ROUNDS = 7
_SECONDS = 0.04

#: Kernels of each kind, too large for caches or, for products, for overhead to matter.
SCALED: tuple[Case, ...] = (
    *(find(f"{name}, 1e7, existing output") for name in ("add", "exp", "sigmoid", "tanh", "copy")),
    find("add, float64, 1e7, existing output"),
    find("add, float16, 1e7, existing output"),
    find("sum, 1e7"),
    find("sum over axis 0, 8192x1000"),
    find("softmax, 8192x1000, existing output"),
    find("layer norm, 8192x1000"),
    find("broadcast add, 4096x1024 + 1024"),
    find("tile, 100x1000 by 80"),
    find("transpose, 2048x2048"),
    find("dot, 2048x2048x2048"),
    find("dense with bias, 256x1024x1024"),
    find("convolution, 32x64x56x56, 64 of 3x3, forward"),
    find("convolution, 32x256x14x14, 1024 of 1x1, both"),
    find("max pooling 3x3/2, 32x64x112x112, both"),
    find("batch norm, training, 32x64x56x56, both"),
)


def scale(
    cases: Sequence[Case],
    threads: int,
    limits: Limits,
    report: Callable[[str], object] = lambda text: None,
) -> list[Row]:
    """Measure cases with one thread and with several, in alternating rounds.

    Parameters
    ----------
    cases : sequence of Case
    threads : int
        The larger number.
    limits : Limits
        The machine's limits for `threads`; a kernel that reaches them cannot scale further.
    report : callable
        Called with the name of each case before it is measured.

    Returns
    -------
    list of dict
        ``"name"``, ``"one"`` and ``"several"`` (seconds), ``"speedup"``, ``"share"`` of the limit
        with several; or ``"name"`` and ``"error"``, or ``"skipped"`` if a plugin is missing.
    """
    rows: list[Row] = []
    with Process("opforge", threads) as process:
        for case in cases:
            report(case.name)
            try:
                one, several = _alternate(process, case, threads)
            except Failure as failure:
                rows.append({"name": case.name, **failure.as_row()})
                continue
            rows.append(
                {
                    "name": case.name,
                    "one": one,
                    "several": several,
                    "speedup": one / several,
                    "share": limits.share(case, several),
                }
            )
    return rows


def _alternate(process: Process, case: Case, threads: int) -> tuple[float, float]:
    process.prepare(case, threads)
    samples: dict[int, list[float]] = {1: [], threads: []}
    for _ in range(_ROUNDS):
        for count, seen in samples.items():
            process.set_threads(count)
            seen += process.round(_SECONDS)
    return summarise(samples[1]).median, summarise(samples[threads]).median
