"""Worker processes that prepare batches, and the parent's side of them.

Each worker has one pipe to the parent and shares no lock with anyone, so that a killed worker is
noticed (`WorkerPool.result` raises) and can never leave the others waiting. The parent alone
decides when workers end: they ignore Ctrl-C, and leave when their pipe closes.
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
from . import _transport
from .batchify import default_batchify_fn
from .dataset import gather

__all__ = ["LoaderTimeoutError", "WorkerPool", "WorkerTraceback", "load_batch"]

#: Batches that one worker may have in hand; with messages of at most 1 KiB in the pipe, neither
#: side can fill it, so that parent and worker never wait for each other.
_IN_HAND = 32

#: Seconds of one wait. The system may deliver Ctrl-C to another thread than the one that waits,
#: which then hears of it when it returns to Python.
_PATIENCE = 1.0


class LoaderTimeoutError(OpforgeError, multiprocessing.TimeoutError):
    """A batch did not come within the `DataLoader`'s timeout."""


class WorkerTraceback(Exception):
    """Cause of an exception that a worker raised: the traceback as text, from that process."""

    def __str__(self) -> str:
        return f"\n\nTraceback in the worker process:\n{self.args[0]}"


def load_batch(dataset: Any, batchify_fn: Callable[[Any], Any], indices: Sequence[int]) -> Any:
    """Read the samples at `indices` and make a batch of them."""
    if batchify_fn is default_batchify_fn:
        batch = gather(dataset, indices)
        if batch is not None:
            return batch
    return batchify_fn([dataset[i] for i in indices])


class _Worker:
    """The parent's view of one worker process."""

    def __init__(self, context: Any, number: int, args: tuple[Any, ...]) -> None:
        self.connection, theirs = multiprocessing.Pipe()
        # A forked child inherits the parent's end too, and must close it to notice its end.
        inherited = self.connection if context.get_start_method() == "fork" else None
        self.process = context.Process(
            target=_serve,
            args=(theirs, inherited, *args),
            name=f"opforge-loader-{number}",
            daemon=True,
        )
        _start(self.process)
        theirs.close()
        self.in_hand: dict[int, Sequence[int]] = {}

    def __repr__(self) -> str:
        return f"{self.process.name} (pid {self.process.pid})"


def _start(process: Any) -> None:
    """Start `process` such that Ctrl-C cannot hit it before it has learned to ignore that."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with warnings.catch_warnings():
            # The engine's threads are made anew in a child: forking with threads is safe here.
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
        self.close = weakref.finalize(self, _end, self._workers, self._owner)
        for number in range(count):
            self._workers.append(_Worker(context, number, (dataset, batchify_fn)))

    @property
    def usable(self) -> bool:
        """Return whether all workers are there, for this process."""
        return self.close.alive and not self._broken and self._owner == os.getpid()

    def submit(self, indices: Sequence[int], seed: int) -> int:
        """Ask for the batch at `indices`; return the ticket that `result` takes.

        Random numbers that the dataset draws in a worker start from `seed`.
        """
        with self._lock:
            self._tickets += 1
            self._wanted.add(self._tickets)
            self._waiting.append((self._tickets, indices, seed))
            self._hand_out()
            return self._tickets

    def result(self, ticket: int, timeout: float | None) -> Any:
        """Return the batch of `ticket`, waiting for it.

        Raises
        ------
        LoaderTimeoutError
            It did not come within `timeout` seconds.
        OpforgeError
            A worker died.
        Exception
            What the dataset raised in the worker, with the worker's traceback as its cause.
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
        """Drop the batches of `tickets`, come or to come.

        Takes no lock: the garbage collector may call it at any moment.
        """
        for ticket in tickets:
            self._wanted.discard(ticket)
            self._results.pop(ticket, None)

    def _hand_out(self) -> None:
        while self._waiting:
            worker = min(self._workers, key=lambda worker: len(worker.in_hand))
            if len(worker.in_hand) >= _IN_HAND:
                return
            task = self._waiting.popleft()
            if task[0] in self._wanted:
                worker.in_hand[task[0]] = task[1]
                self._hand_over(worker, task)

    def _hand_over(self, worker: _Worker, task: tuple[int, Sequence[int], int]) -> None:
        try:
            _transport.send(worker.connection, task)
        except (BrokenPipeError, ConnectionResetError):
            self._report_death(worker)
        except BaseException:
            # Interrupted in the middle of a message: the worker could not read on.
            self._broken = True
            raise

    def _receive(self, deadline: float | None, timeout: float | None) -> None:
        by_connection: dict[Any, _Worker] = {w.connection: w for w in self._workers}
        ready: Sequence[Any] = ()
        while not ready:
            remaining = _PATIENCE if deadline is None else deadline - time.monotonic()
            ready = wait(list(by_connection), min(max(0.0, remaining), _PATIENCE))
            if not ready and remaining <= 0:
                raise LoaderTimeoutError(
                    f"DataLoader: no batch came from its {len(self._workers)} workers within "
                    f"{timeout} s; pass a larger timeout, more num_workers or a smaller "
                    "batch_size, or find out with num_workers=0 where the dataset waits"
                )
        for connection in ready:
            self._take(by_connection[connection])
        self._hand_out()

    def _take(self, worker: _Worker) -> None:
        try:
            ticket, succeeded, value = _transport.receive(worker.connection)
        except (EOFError, ConnectionResetError):
            self._report_death(worker)
        except BaseException:
            # Interrupted in the middle of a message: the stream cannot be read on.
            self._broken = True
            raise
        worker.in_hand.pop(ticket, None)
        if ticket in self._wanted:
            self._results[ticket] = succeeded, value if succeeded else _revived(*value)

    def _report_death(self, worker: _Worker) -> NoReturn:
        self._broken = True
        worker.process.join(1)
        indices = next(iter(worker.in_hand.values()), [])
        raise OpforgeError(
            f"DataLoader: worker {worker!r} died with exit code {worker.process.exitcode} while "
            f"it loaded the samples {_abridged(indices)}; -9 usually means that memory ran out. "
            "Run with num_workers=0 to see a crash in the dataset itself"
        )


def _start_context() -> Any:
    """Return the start method that the program chose, else fork where the system has it."""
    chosen = multiprocessing.get_start_method(allow_none=True)
    if chosen is None and "fork" in multiprocessing.get_all_start_methods():
        chosen = "fork"
    return multiprocessing.get_context(chosen)


def _abridged(indices: Sequence[int]) -> str:
    shown = ", ".join(str(index) for index in indices[:5])
    return f"[{shown}{', ...' if len(indices) > 5 else ''}]"


def _end(workers: list[_Worker], owner: int) -> None:
    """Stop the workers; called once, when the pool is closed, collected or at exit."""
    if os.getpid() != owner:
        return
    for worker in workers:
        worker.connection.close()
        if worker.in_hand:
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
    _leave_interrupts_to_the_parent()
    if inherited is not None:
        inherited.close()
    while True:
        try:
            ticket, indices, seed = _transport.receive(connection)
        except (EOFError, OSError):
            return
        try:
            _seed_everything(seed)
            answer = ticket, True, load_batch(dataset, batchify_fn, indices)
        except Exception as error:
            answer = ticket, False, _described(error)
        try:
            _send_answer(connection, answer)
        except (BrokenPipeError, ConnectionResetError):
            return


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _seed_everything(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    nd_random.seed(seed)


def _send_answer(connection: Connection, answer: tuple[int, bool, Any]) -> None:
    try:
        _transport.send(connection, answer)
    except (BrokenPipeError, ConnectionResetError):
        raise
    except Exception as error:  # the batch cannot be pickled: say so instead
        _transport.send(connection, (answer[0], False, _described(error)))


def _described(error: BaseException) -> tuple[bytes | None, str, str]:
    text = "".join(traceback.format_exception(error))
    try:
        pickled = pickle.dumps(error)
        pickle.loads(pickled)
    except Exception:
        pickled = None
    return pickled, f"{type(error).__qualname__}: {error}", text


def _revived(pickled: bytes | None, summary: str, text: str) -> BaseException:
    try:
        error = pickle.loads(pickled) if pickled is not None else None
    except Exception:
        error = None
    if not isinstance(error, Exception):
        error = OpforgeError(f"DataLoader: a worker raised {summary}")
    error.__cause__ = WorkerTraceback(text)
    return error
