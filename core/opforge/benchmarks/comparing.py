"""The comparison of opforge with its peers, case by case, in turns.

Machines drift: clocks change and neighbours come and go. So opforge and its peers are measured in
alternating rounds, and ratios are taken of the medians over all rounds.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .case import LIBRARIES, Case
from .limits import Limits
from .processes import Failure, Missing, Process
from .sampling import summarise

__all__ = ["ROUNDS", "Row", "compare"]

#: One case: its declaration, a summary or an error for each library, ratios, what it reaches.
Row = dict[str, Any]
ROUNDS = 11
#: Seconds of one round.
SHARE = 0.03


def compare(
    cases: Iterable[Case],
    peers: Sequence[str],
    threads: int,
    limits: Limits | None = None,
    rounds: int = ROUNDS,
    report: Callable[[str], object] = lambda text: None,
) -> list[Row]:
    """Measure cases in opforge and in its peers.

    Parameters
    ----------
    cases : iterable of Case
    peers : sequence of {"torch", "numpy"}
    threads : int
        Threads that one operator may use.
    limits : Limits, optional
        The machine's limits, for the share of them that each case reaches.
    rounds : int
        Rounds for each case and library.
    report : callable
        Told the name of each case before it is measured.

    Returns
    -------
    list of dict
        A library that cannot run a case has an ``"error"`` where others have their figures; where
        the plugin is not installed, the only library of the row has the reason as ``"skipped"``.
    """
    rows = []
    with _Team(("opforge", *peers), threads) as team:
        for case in cases:
            report(case.name)
            rows.append(_row(case, team.measure(case, rounds), limits))
    return rows


class _Team:
    """A process for each library; one that failed is started anew for the next case."""

    def __init__(self, libraries: Sequence[str], threads: int) -> None:
        self._libraries, self._threads = libraries, threads
        self._processes: dict[str, Process] = {}

    def __enter__(self) -> "_Team":
        return self

    def __exit__(self, *details: object) -> None:
        for process in self._processes.values():
            process.close()

    def measure(self, case: Case, rounds: int) -> dict[str, Row]:
        """Return what each library that has the case gives: a summary, or an error.

        A case whose plugin is not installed is skipped in all of them.
        """
        found: dict[str, Row] = {}
        samples: dict[str, list[float]] = {
            library: [] for library in self._libraries if case.expression(library)
        }
        for turn in range(rounds + 1):
            for library in [name for name in samples if name not in found]:
                try:
                    if turn:
                        samples[library] += self._processes[library].round(SHARE)
                    else:
                        self._prepare(library, case)
                except Missing as missing:
                    return {library: missing.as_row()}
                except Failure as failure:
                    self._processes.pop(library).close()
                    found[library] = failure.as_row()
        for library, seen in samples.items():
            if seen and library not in found:
                found[library] = summarise(seen).as_dict()
        return found

    def _prepare(self, library: str, case: Case) -> None:
        if library not in self._processes:
            self._processes[library] = Process(library, self._threads)
        self._processes[library].prepare(case, self._threads)


def _row(case: Case, figures: dict[str, Row], limits: Limits | None) -> Row:
    """Return what is told of a case."""
    seconds = {name: figure.get("median") for name, figure in figures.items()}
    own = seconds.get("opforge")
    row: Row = {
        "name": case.name,
        "group": case.group,
        "target": case.target,
        "target_share": case.share,
        **{name: figures.get(name) for name in LIBRARIES if name in figures},
        "ratios": {
            name: own / other
            for name, other in seconds.items()
            if name != "opforge" and own and other
        },
        "bytes_per_second": case.amount("nbytes") / own if own and case.nbytes else None,
        "flops_per_second": case.amount("flops") / own if own and case.flops else None,
        "share": limits.share(case, own) if own and limits else None,
    }
    return row
