"""The comparison of opforge with its peers, case by case, in turns.

Machines drift: clocks change and neighbours come and go. So opforge and its peers are measured in
alternating rounds, and ratios are taken of the medians over all rounds.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import methodcaller
from typing import Any, Generic, TypeVar

from .case import Case
from .limits import Limits
from .processes import Child, Failure, Missing, Process
from .sampling import summarise

__all__ = ["ROUNDS", "Row", "Team", "compare", "ratios"]

Member = TypeVar("Member", bound=Child)
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
    with Team(lambda library: Process(library, threads)) as team:
        for case in cases:
            report(case.name)
            libraries = [name for name in ("opforge", *peers) if case.expression(name)]
            found = team.measure(libraries, methodcaller("prepare", case, threads), rounds)
            rows.append(_row(case, found, limits))
    return rows


class Team(Generic[Member]):
    """A process for each library; one that failed is started anew for the next case.

    Parameters
    ----------
    start : callable
        Starts the process of the library with this name.
    """

    def __init__(self, start: Callable[[str], Member]) -> None:
        self._start = start
        self._processes: dict[str, Member] = {}

    def __enter__(self) -> "Team[Member]":
        return self

    def __exit__(self, *details: object) -> None:
        for process in self._processes.values():
            process.close()

    def measure(
        self, libraries: Sequence[str], prepare: Callable[[Member], object], rounds: int
    ) -> dict[str, Row]:
        """Return what each library gives for a case: a summary, or an error.

        A case whose plugin is not installed is skipped in all of them.

        Parameters
        ----------
        libraries : sequence of str
            Those that have the case.
        prepare : callable
            Prepares it in a process.
        rounds : int
        """
        found: dict[str, Row] = {}
        samples: dict[str, list[float]] = {library: [] for library in libraries}
        for turn in range(rounds + 1):
            for library in [name for name in samples if name not in found]:
                try:
                    if turn:
                        samples[library] += self._processes[library].round(SHARE)
                    else:
                        prepare(self._started(library))
                except Missing as missing:
                    return {library: missing.as_row()}
                except Failure as failure:
                    self._processes.pop(library).close()
                    found[library] = failure.as_row()
        for library, seen in samples.items():
            if seen and library not in found:
                found[library] = summarise(seen).as_dict()
        return found

    def _started(self, library: str) -> Member:
        if library not in self._processes:
            self._processes[library] = self._start(library)
        return self._processes[library]


def ratios(figures: Mapping[str, Row]) -> dict[str, float]:
    """Return opforge's median as a share of that of each other library, where both have one."""
    seconds = {name: figure.get("median") for name, figure in figures.items()}
    own = seconds.pop("opforge", None)
    return {name: own / other for name, other in seconds.items() if own and other}


def _row(case: Case, figures: dict[str, Row], limits: Limits | None) -> Row:
    """Return what is told of a case."""
    own = figures.get("opforge", {}).get("median")
    row: Row = {
        "name": case.name,
        "group": case.group,
        "target": case.target,
        "target_share": case.share,
        **figures,
        "ratios": ratios(figures),
        "bytes_per_second": case.amount("nbytes") / own if own and case.nbytes else None,
        "flops_per_second": case.amount("flops") / own if own and case.flops else None,
        "share": limits.share(case, own) if own and limits else None,
    }
    return row
