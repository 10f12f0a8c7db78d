"""Comparison of opforge with its peers, case by case, in alternating rounds.

Machines drift: clock frequencies change and other processes come and go. Therefore opforge and its
peers are measured in alternating rounds, and ratios compare the medians over all rounds.
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
#: One case: its declaration, a summary or an error for each library, ratios, share of the limit.
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
        The machine's limits, from which the share that each case reaches is computed.
    rounds : int
        Rounds for each case and library.
    report : callable
        Called with the name of each case before it is measured.

    Returns
    -------
    list of dict
        A library that cannot run a case has an ``"error"`` instead of figures; if the plugin is
        not installed, the only library of the row has the reason as ``"skipped"``.
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
    """One process per library; a process that failed is restarted for the next case.

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
        """Return a summary or an error for each library.

        A case whose plugin is not installed is skipped in all of them.

        Parameters
        ----------
        libraries : sequence of str
            Libraries that have the case.
        prepare : callable
            Prepares the case in a process.
        rounds : int
        """
        found: dict[str, Row] = {}
        samples: dict[str, list[float]] = {library: [] for library in libraries}
        for iteration in range(rounds + 1):
            for library in [name for name in samples if name not in found]:
                try:
                    if iteration:
                        samples[library] += self._processes[library].round(SHARE)
                    else:
                        prepare(self._start_member(library))
                except Missing as missing:
                    return {library: missing.as_row()}
                except Failure as failure:
                    self._processes.pop(library).close()
                    found[library] = failure.as_row()
        for library, seen in samples.items():
            if seen and library not in found:
                found[library] = summarise(seen).as_dict()
        return found

    def _start_member(self, library: str) -> Member:
        if library not in self._processes:
            self._processes[library] = self._start(library)
        return self._processes[library]


def ratios(figures: Mapping[str, Row]) -> dict[str, float]:
    """Return the ratio of opforge's median to that of each other library, if both have one."""
    seconds = {name: figure.get("median") for name, figure in figures.items()}
    own = seconds.pop("opforge", None)
    return {name: own / other for name, other in seconds.items() if own and other}


def _row(case: Case, figures: dict[str, Row], limits: Limits | None) -> Row:
    """Return the row of a case."""
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
