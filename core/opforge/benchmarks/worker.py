"""The process that one library is measured in: ``python -m opforge.benchmarks.worker LIBRARY``.

Two libraries in one process disturb each other, for the idle threads of each spin for a while after
each call. So each has a process; the measuring one asks them in turn for rounds. Requests and
answers are JSON, a line each, on standard input and output.
"""

import json
import os
import sys
from typing import Any, TextIO

from .case import Case
from .libraries import Library, load, prepare
from .memory import peak_of
from .sampling import Batches

__all__ = ["main", "serve"]

Answer = dict[str, Any]


def serve(name: str, requests: TextIO, answers: TextIO) -> None:
    """Answer requests until there are no more."""
    desk = _Desk(name)
    for line in requests:
        request = json.loads(line)
        answers.write(json.dumps(desk.answer(request)) + "\n")
        answers.flush()


class _Desk:
    """Keeps the library and the case that is being measured."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._library: Library | None = None
        self._batches: Batches | None = None

    def answer(self, request: dict[str, Any]) -> Answer:
        """Do what one request asks for; an exception is an answer too."""
        try:
            return getattr(self, f"_{request.pop('do')}")(**request)
        except Exception as error:
            self._batches = None
            return {"error": str(error) or type(error).__name__, "kind": type(error).__name__}

    def _prepare(self, case: dict[str, Any], threads: int) -> Answer:
        self._batches = None  # the arrays of the case before go first
        if self._library is None:
            self._library = load(self._name)
        self._library.set_threads(threads)
        run = prepare(Case.from_json(case), self._name, self._library)
        self._batches = Batches(run, self._library.wait)
        return {}

    def _peak(self, case: dict[str, Any], size: str, threads: int) -> Answer:
        return peak_of(Case.from_json(case), size, self._name, threads)

    def _threads(self, count: int) -> Answer:
        assert self._library is not None
        self._library.set_threads(count)
        return {}

    def _round(self, seconds: float) -> Answer:
        assert self._batches is not None
        return {"samples": self._batches.round(seconds)}


def main() -> None:
    """Serve the process that started this one."""
    # What a library prints is no answer.
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)
        serve(sys.argv[1], sys.stdin, answers)


if __name__ == "__main__":
    main()
