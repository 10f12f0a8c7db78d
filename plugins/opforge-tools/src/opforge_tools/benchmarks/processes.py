"""Client side of workers: start a process for each library, send requests, terminate it."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, Self

from opforge.base.errors import OperatorNotFoundError

from .case import Case
from .libraries import THREAD_VARIABLES

__all__ = ["Child", "Failure", "Missing", "Process", "environment"]


class Failure(Exception):
    """Raised if a case cannot be measured in a library; the text gives the reason."""

    #: Key of the text in a row of figures.
    told_as = "error"

    def as_row(self) -> dict[str, str]:
        """Return the entry that replaces the figures in a row."""
        return {self.told_as: str(self)}


class Missing(Failure):
    """Raised if the plugin that a case needs is not installed."""

    told_as = "skipped"


class Child:
    """A library in a separate process that speaks the protocol of `serving`.

    Parameters
    ----------
    library : str
    command : sequence of str
    threads : int
        Threads that one operator may use.
    """

    def __init__(self, library: str, command: Sequence[str], threads: int) -> None:
        self._library = library
        self._child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            process_group=0,  # Ctrl-C goes to the measuring process, which terminates this one
            env={**environment(command[0]), **dict.fromkeys(THREAD_VARIABLES, str(threads))},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def round(self, seconds: float) -> list[float]:
        """Return samples of the prepared case: seconds per call."""
        samples: list[float] = self.ask({"do": "round", "seconds": seconds})["samples"]
        return samples

    def close(self) -> None:
        """Terminate the process, even in the middle of a batch."""
        self._child.kill()
        self._child.wait()
        for pipe in (self._child.stdin, self._child.stdout):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):
                pipe.close()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return the answer; `serving` defines both.

        Raises
        ------
        Failure
            The answer is an exception, or the process ended.
        Missing
            No installed plugin provides the operator or the interface.
        """
        assert self._child.stdin is not None and self._child.stdout is not None
        try:
            self._child.stdin.write(json.dumps(request) + "\n")
            self._child.stdin.flush()
            line = self._child.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            status = self._child.wait()
            raise Failure(f"the process of {self._library} ended with status {status}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            missing = answer["kind"] in (OperatorNotFoundError.__qualname__, "ImportError")
            raise (Missing if missing else Failure)(f"{answer['kind']}: {answer['error']}")
        return answer


def environment(interpreter: str) -> dict[str, str]:
    """Return a copy of the environment, without this Python's settings for another one."""
    is_own = interpreter == sys.executable
    return {k: v for k, v in os.environ.items() if is_own or not k.startswith("PYTHON")}


class Process(Child):
    """A library that runs the cases of `CASES`.

    Parameters
    ----------
    library : str
    threads : int
        Threads that one operator may use.

    Examples
    --------
    >>> from opforge_tools.benchmarks.cases import find
    >>> with Process("numpy", 1) as numpy:
    ...     numpy.prepare(find("add, 4 elements"), 1)
    ...     all(seconds > 0 for seconds in numpy.round(0.001))
    True
    """

    def __init__(self, library: str, threads: int) -> None:
        command = [sys.executable, "-m", "opforge_tools.benchmarks.worker", library]
        super().__init__(library, command, threads)

    def prepare(self, case: Case, threads: int) -> None:
        """Create the inputs of a case and warm it up.

        Raises
        ------
        Failure
            The library is missing, or failed.
        Missing
            No installed plugin provides the operator.
        """
        self.ask({"do": "prepare", "case": case.as_json(), "threads": threads})

    def set_threads(self, count: int) -> None:
        """Set the number of threads that operators may use."""
        self.ask({"do": "threads", "count": count})

    def peak(self, case: Case, size: str, threads: int) -> dict[str, Any]:
        """Return the result of `memory.peak_of`; this must be the first request.

        Raises
        ------
        Failure
            The library is missing or failed, or the system does not report memory.
        """
        request = {"do": "peak", "case": case.as_json(), "size": size, "threads": threads}
        return self.ask(request)
