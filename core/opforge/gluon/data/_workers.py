"""Worker processes that load batches, and the parent's side of them.

Each worker has one pipe to the parent and shares no locks, so a killed worker is detected
(`WorkerPool.result` raises) and never blocks the others. Only the parent ends workers: they ignore
Ctrl-C and exit when their pipe is closed.
"""

import multiprocessing
import os
import pickle
import random
import signal
import threading
import time
import traceback
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, NoReturn

import numpy as np

from ...base.errors import OpforgeError
from ...ndarray import random as nd_random
from ...ndarray.array_classes import as_requested
from . import _transport
from .batchify import default_batchify_fn
from .dataset import gather

__all__ = ["LoaderTimeoutError", "WorkerPool", "WorkerTraceback", "load_batch"]

#: Maximum number of batches requested from one worker. As messages in the pipe have at most 1 KiB,
#: neither side can fill it, so parent and worker never deadlock.
_MAX_IN_FLIGHT = 32

#: Seconds of one wait. Ctrl-C may be delivered to another thread than the waiting one, which only
#: notices it when it returns to Python.
_POLL_SECONDS = 1.0


class LoaderTimeoutError(OpforgeError, multiprocessing.TimeoutError):
    """Error for a batch that was not loaded within the `DataLoader`'s timeout."""


class WorkerTraceback(Exception):
    """Cause of an exception raised in a worker: the traceback as text, from that process."""

    def __str__(self) -> str:
        return f"\n\nTraceback in the worker process:\n{self.args[0]}"


def load_batch(dataset: Any, batchify_fn: Callable[[Any], Any], indices: Sequence[int]) -> Any:
    """Read the samples at `indices` and combine them into a batch."""
    if batchify_fn is default_batchify_fn:
        batch = gather(dataset, indices)
        if batch is not None:
            return as_requested(batch)
    return as_requested(batchify_fn([dataset[i] for i in indices]))


class _Worker:
    """The parent's view of one worker process."""

    def __init__(self, context: Any, number: int, args: tuple[Any, ...]) -> None:
        self.connection, theirs = multiprocessing.Pipe()
        # A forked child inherits the parent's end as well and must close it to detect EOF.
        inherited = self.connection if context.get_start_method() == "fork" else None
        self.process = context.Process(
            target=_serve,
            args=(theirs, inherited, *args),
            name=f"opforge-loader-{number}",
            daemon=True,
        )
        _start(self.process)
        theirs.close()
        self.in_flight: dict[int, Sequence[int]] = {}

    def __repr__(self) -> str:
        return f"{self.process.name} (pid {self.process.pid})"


def _start(process: Any) -> None:
    """Start `process` with SIGINT blocked until it has installed its handler."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with warnings.catch_warnings():
            # The engine restarts its threads in a child, so forking with threads is safe here.
            warnings.filterwarnings("ignore", ".*fork.*", DeprecationWarning)
            process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class WorkerPool:
    """Processes that load batches of one dataset.

    Parameters
    ----------
    dataset : Dataset
    batchify_fn : callable
    count : int > 0
        Number of processes.
    """

    def __init__(self, dataset: Any, batchify_fn: Callable[[Any], Any], count: int) -> None:
        context = _start_context()
        self._lock = threading.RLock()
        self._owner = os.getpid()
        self._broken = False
        self._tickets = 0
        self._waiting: deque[tuple[int, Sequence[int], int]] = deque()
        self._wanted: set[int] = set()
        self._results: dict[int, tuple[bool, Any]] = {}
        self._workers: list[_Worker] = []
        self.close = weakref.finalize(self, _stop_workers, self._workers, self._owner)
        for number in range(count):
            self._workers.append(_Worker(context, number, (dataset, batchify_fn)))

    @property
    def usable(self) -> bool:
        """True if all workers are alive and belong to this process."""
        return self.close.alive and not self._broken and self._owner == os.getpid()

    def submit(self, indices: Sequence[int], seed: int) -> int:
        """Request the batch at `indices`; return the ticket for `result`.

        Random numbers that the dataset draws in a worker are seeded with `seed`.
        """
        with self._lock:
            self._tickets += 1
            self._wanted.add(self._tickets)
            self._waiting.append((self._tickets, indices, seed))
            self._dispatch()
            return self._tickets

    def result(self, ticket: int, timeout: float | None) -> Any:
        """Return the batch of `ticket`, waiting for it.

        Raises
        ------
        LoaderTimeoutError
            The batch was not loaded within `timeout` seconds.
        OpforgeError
            A worker died.
        Exception
            The error of the dataset in the worker, with the worker's traceback as its cause.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        with self._lock:
            while ticket not in self._results:
                self._receive(deadline, timeout)
            self._wanted.discard(ticket)
            succeeded, value = self._results.pop(ticket)
        if succeeded:
            return value
        raise value

    def discard(self, tickets: Sequence[int]) -> None:
        """Drop the batches of `tickets`, whether loaded or not.

        Takes no lock: the garbage collector may call it at any moment.
        """
        for ticket in tickets:
            self._wanted.discard(ticket)
            self._results.pop(ticket, None)

    def _dispatch(self) -> None:
        while self._waiting:
            worker = min(self._workers, key=lambda worker: len(worker.in_flight))
            if len(worker.in_flight) >= _MAX_IN_FLIGHT:
                return
            task = self._waiting.popleft()
            if task[0] in self._wanted:
                worker.in_flight[task[0]] = task[1]
                self._send_task(worker, task)

    def _send_task(self, worker: _Worker, task: tuple[int, Sequence[int], int]) -> None:
        try:
            _transport.send(worker.connection, task)
        except (BrokenPipeError, ConnectionResetError):
            self._report_death(worker)
        except BaseException:
            # Interrupted within a message: the worker cannot continue reading.
            self._broken = True
            raise

    def _receive(self, deadline: float | None, timeout: float | None) -> None:
        by_connection: dict[Any, _Worker] = {w.connection: w for w in self._workers}
        ready: Sequence[Any] = ()
        while not ready:
            remaining = _POLL_SECONDS if deadline is None else deadline - time.monotonic()
            ready = wait(list(by_connection), min(max(0.0, remaining), _POLL_SECONDS))
            if not ready and remaining <= 0:
                raise LoaderTimeoutError(
                    f"DataLoader: its {len(self._workers)} workers returned no batch within "
                    f"{timeout} s; pass a larger timeout, more num_workers or a smaller "
                    "batch_size, or use num_workers=0 to find out where the dataset blocks"
                )
        for connection in ready:
            self._receive_from(by_connection[connection])
        self._dispatch()

    def _receive_from(self, worker: _Worker) -> None:
        try:
            ticket, succeeded, value = _transport.receive(worker.connection)
        except (EOFError, ConnectionResetError):
            self._report_death(worker)
        except BaseException:
            # Interrupted within a message: the rest of the stream cannot be read.
            self._broken = True
            raise
        worker.in_flight.pop(ticket, None)
        if ticket in self._wanted:
            self._results[ticket] = succeeded, value if succeeded else _unpack_error(*value)

    def _report_death(self, worker: _Worker) -> NoReturn:
        self._broken = True
        worker.process.join(1)
        indices = next(iter(worker.in_flight.values()), [])
        raise OpforgeError(
            f"DataLoader: worker {worker!r} died with exit code {worker.process.exitcode} while "
            f"it loaded the samples {_abridge(indices)}; -9 usually means out of memory. "
            "Run with num_workers=0 to see a crash in the dataset itself"
        )


def _start_context() -> Any:
    """Return the start method that the program set, else fork if it is available."""
    chosen = multiprocessing.get_start_method(allow_none=True)
    if chosen is None and "fork" in multiprocessing.get_all_start_methods():
        chosen = "fork"
    return multiprocessing.get_context(chosen)


def _abridge(indices: Sequence[int]) -> str:
    shown = ", ".join(str(index) for index in indices[:5])
    return f"[{shown}{', ...' if len(indices) > 5 else ''}]"


def _stop_workers(workers: list[_Worker], owner: int) -> None:
    """Stop the workers; called once, when the pool is closed, collected or at exit."""
    if os.getpid() != owner:
        return
    for worker in workers:
        worker.connection.close()
        if worker.in_flight:
            worker.process.terminate()
    deadline = time.monotonic() + 1
    for worker in workers:
        worker.process.join(max(0.0, deadline - time.monotonic()))
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()


def _serve(
    connection: Connection,
    inherited: Connection | None,
    dataset: Any,
    batchify_fn: Callable[[Any], Any],
) -> None:
    """Load batches until the parent closes the pipe; runs in the worker."""
    _ignore_interrupts()
    if inherited is not None:
        inherited.close()
    while True:
        try:
            ticket, indices, seed = _transport.receive(connection)
        except (EOFError, OSError):
            return
        try:
            _seed_everything(seed)
            reply = ticket, True, load_batch(dataset, batchify_fn, indices)
        except Exception as error:
            reply = ticket, False, _pack_error(error)
        try:
            _send_reply(connection, reply)
        except (BrokenPipeError, ConnectionResetError):
            return


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _seed_everything(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    nd_random.seed(seed)


def _send_reply(connection: Connection, reply: tuple[int, bool, Any]) -> None:
    try:
        _transport.send(connection, reply)
    except (BrokenPipeError, ConnectionResetError):
        raise
    except Exception as error:  # the batch cannot be pickled; send the error instead
        _transport.send(connection, (reply[0], False, _pack_error(error)))


def _pack_error(error: BaseException) -> tuple[bytes | None, str, str]:
    text = "".join(traceback.format_exception(error))
    try:
        pickled = pickle.dumps(error)
        pickle.loads(pickled)
    except Exception:
        pickled = None
    return pickled, f"{type(error).__qualname__}: {error}", text


def _unpack_error(pickled: bytes | None, summary: str, text: str) -> BaseException:
    try:
        error = pickle.loads(pickled) if pickled is not None else None
    except Exception:
        error = None
    if not isinstance(error, Exception):
        error = OpforgeError(f"DataLoader: a worker raised {summary}")
    error.__cause__ = WorkerTraceback(text)
    return error
