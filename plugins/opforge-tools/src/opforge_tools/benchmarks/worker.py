"""Process that measures one library: ``python -m opforge_tools.benchmarks.worker LIBRARY``.

Two libraries in one process disturb each other, for the idle threads of each spin for a while after
each call. So each has a process; the measuring one asks them in turn for rounds.
"""

import sys
from typing import Any

from .case import Case
from .libraries import Library, load, prepare
from .memory import peak_of
from .sampling import Batches
from .serving import Desk, serve_parent

__all__ = ["CaseDesk"]

Answer = dict[str, Any]


class CaseDesk(Desk):
    """Keeps the library and the case that is being measured.

    Parameters
    ----------
    name : str
        Of the library.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._library: Library | None = None

    def _prepare(self, case: dict[str, Any], threads: int) -> Answer:
        self.batches = None  # the arrays of the case before go first
        if self._library is None:
            self._library = load(self._name)
        self._library.set_threads(threads)
        run = prepare(Case.from_json(case), self._name, self._library)
        self.batches = Batches(run, self._library.wait)
        return {}

    def _peak(self, case: dict[str, Any], size: str, threads: int) -> Answer:
        return peak_of(Case.from_json(case), size, self._name, threads)

    def _threads(self, count: int) -> Answer:
        assert self._library is not None
        self._library.set_threads(count)
        return {}


if __name__ == "__main__":
    serve_parent(CaseDesk(sys.argv[1]))
