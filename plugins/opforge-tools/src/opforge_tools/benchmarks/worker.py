"""Process that measures one library: ``python -m opforge_tools.benchmarks.worker LIBRARY``.

Two libraries in one process disturb each other, because the idle threads of each spin for a while
after a call. So each has its own process, and the parent requests rounds from them in alternation.
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
    """Server for a library and the current case.

    Parameters
    ----------
    name : str
        Name of the library.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._library: Library | None = None

    def _prepare(self, case: dict[str, Any], threads: int) -> Answer:
        self.batches = None  # free the arrays of the previous case first
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
