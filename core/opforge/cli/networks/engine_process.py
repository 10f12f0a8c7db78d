"""`EngineProcess`: an engine in a separate process, so that memory and threads are not shared.

The process answers requests of its parent: the name of a function below, and its arguments.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Self

import numpy as np

from ...base.errors import OpforgeError
from ...profiler.measurement import Measurement
from .engines import Setup, import_engine
from .request_timing import time_clients, time_requests

__all__ = ["EngineProcess", "Worker", "serve"]

_WARM_UP = 2
_STATUS = Path("/proc/self/status")


class Worker:
    """An engine and its measurements.

    Parameters
    ----------
    setup : Setup

    Attributes
    ----------
    start : dict
        Seconds from the file to the first answer, under ``"first"``, and the resident bytes of the
        imported libraries, under ``"imported"``.
    """

    def __init__(self, setup: Setup) -> None:
        open_network = import_engine(setup)
        imported, began = _memory("VmRSS"), time.perf_counter()
        predict, inputs = open_network(), setup.inputs
        self._request: Callable[[], list[np.ndarray]] = lambda: predict(inputs)
        self._request()
        self.start = {"first": time.perf_counter() - began, "imported": imported}
        for _ in range(_WARM_UP):
            self._request()

    def outputs(self) -> list[np.ndarray]:
        """Return the outputs of a request."""
        return self._request()

    def latency(self, seconds: float) -> list[float]:
        """Return the durations of requests one after another, in seconds."""
        return time_requests(self._request, seconds)

    def throughput(self, clients: int, seconds: float) -> float:
        """Return the requests per second of several clients."""
        return time_clients(self._request, clients, seconds)

    def memory(self) -> dict[str, int | None]:
        """Return the ``"peak"`` and the ``"resident"`` bytes of the process, None if unknown."""
        return {"peak": _memory("VmHWM"), "resident": _memory("VmRSS")}

    def operators(self, seconds: float) -> list[dict[str, Any]]:
        """Return name, type, calls per request and share of the time of each operator."""
        measurement = Measurement(by_node=True)
        measurement.start()
        count = len(time_requests(self._request, seconds))
        calls = measurement.stop()
        total = sum(call.own for call in calls) or 1.0
        return [
            {
                "name": call.name,
                "type": call.category,
                "ms": 1e3 * call.own / count,
                "share": call.own / total,
            }
            for call in calls
        ]


def serve(connection: Any, setup: Setup) -> None:
    """Answer requests until the parent closes the connection."""
    try:
        worker = Worker(setup)
        connection.send(("result", worker.start))
        while True:
            name, arguments = connection.recv()
            connection.send(("result", getattr(worker, name)(*arguments)))
    except (EOFError, BrokenPipeError):
        return
    except Exception as error:
        text = str(error) if isinstance(error, OpforgeError) else f"{type(error).__name__}: {error}"
        connection.send(("error", text))


class EngineProcess:
    """A process that runs `serve`; a context manager that ends it.

    Parameters
    ----------
    setup : Setup

    Raises
    ------
    OpforgeError
        The engine failed, here and in `ask`.
    """

    def __init__(self, setup: Setup) -> None:
        self.engine = setup.engine
        context = get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, setup), daemon=True)
        self._process.start()
        theirs.close()
        self.start: dict[str, Any] = {}

    def __enter__(self) -> Self:
        try:
            self.start = self._answer()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()
        self._process.join(10)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

    def ask(self, name: str, *arguments: Any) -> Any:
        """Return the result of a method of the `Worker`."""
        with suppress(BrokenPipeError):  # the answer has the reason
            self._connection.send((name, arguments))
        return self._answer()

    def _answer(self) -> Any:
        try:
            kind, value = self._connection.recv()
        except (EOFError, ConnectionResetError):
            self._process.join()
            raise OpforgeError(
                f"the process of {self.engine} ended with exit status {self._process.exitcode}"
            ) from None
        if kind == "error":
            raise OpforgeError(f"{self.engine}: {value}")
        return value


def _memory(field: str) -> int | None:
    """Return a field of ``/proc/self/status`` in bytes; None where that file does not exist."""
    with suppress(OSError):
        for line in _STATUS.read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) * 1024
    return None
