"""`World`: the ranks of this run, and the collectives in which they take part."""

import atexit
import faulthandler
import os
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from opforge.plugin_api import timed

from .. import library
from ..errors import DistributedError
from ..process.progress_thread import ProgressThread
from ..settings import Settings
from ..transport.messages import all_gather_into
from ..transport.node_group import NodeGroup
from ..transport.shared_memory import SharedMemory
from ..transport.steps import Collective, Steps
from .rendezvous import Rendezvous, all_gather_bytes
from .signature import CollectiveSignature

__all__ = ["World", "abort_all"]

T = TypeVar("T")

#: Tag of the messages by which ranks join, on the program's communicator; the largest tag that
#: every MPI library supports.
_JOIN_TAG = 32767
#: Seconds for mpiexec to read the output of a rank before it ends all.
_FLUSH_SECONDS = 0.1
#: Seconds for MPI to end this rank; it retries forever if it cannot reach the other machines.
_ABORT_SECONDS = 2


class World:
    """The ranks that train together.

    Collectives run in sequence, in the order in which the program starts them, because MPI matches
    messages by this order. Sums without messages run in parallel. After a collective has failed no
    other can run, because ranks would mistake one for another.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
        Is duplicated, so that messages of the program and of this class never match.
    settings : Settings
    """

    def __init__(self, comm: Any, settings: Settings) -> None:
        self.mpi = library.load()
        _wait_for_all_to_join(comm, settings.timeout)
        self.comm = comm.Dup()
        #: Communicator for ranks that are out of step, to end together.
        self.ends = comm.Dup()
        self.settings = settings
        self.rank: int = self.comm.rank
        self.size: int = self.comm.size
        joined = self.comm.allgather((socket.gethostname(), os.getpid(), settings))
        self.hosts: list[str] = [host for host, _, _ in joined]
        self.processes: list[int] = [process for _, process, _ in joined]
        _require_equal_settings([theirs for _, _, theirs in joined], self.hosts)
        machine = self.comm.Split_type(self.mpi.COMM_TYPE_SHARED)
        self.local_rank: int = machine.rank
        self.local_size: int = machine.size
        limit = settings.sharing_ranks if settings.shared_memory else 1
        self.node_group = NodeGroup(self.comm, machine, limit)
        machine.Free()
        self._rendezvous = Rendezvous(comm.Dup(), self.hosts, _meeting_counts(self.node_group))
        self.is_ahead = self._rendezvous.is_ahead
        self._process = os.getpid()
        #: The failure after which no collective can run.
        self.broken_by = ""
        self._launched: deque[tuple[Collective[None], CollectiveSignature]] = deque()
        #: Held by the thread that advances launched collectives.
        self._advance_lock = threading.Lock()
        #: True if launched collectives run in sequence instead of in parallel.
        self.is_sequential = False
        self._progress: ProgressThread | None = None
        if self.node_group.has_others:
            self.make_sequential()
        #: Exception that has ended the progress thread, until it is raised to the program.
        self._failure: BaseException | None = None

    def run(self, steps: Steps[T], signature: CollectiveSignature) -> T:
        """Meet the other ranks with a signature, then take the steps, and return their result.

        Raises
        ------
        DistributedError
            Other ranks have a different signature or are late, or an earlier collective failed.
        """

        def all_steps() -> Steps[T]:
            yield from self.meet(signature)
            return (yield from steps)

        self.drain()
        with timed("MPI", "MPI.collective"), self._collective_call():
            return self._finish(Collective(all_steps()), signature)

    def launch(self, steps: Steps[None], signature: CollectiveSignature) -> Collective[None]:
        """Start steps that ensure themselves that all ranks take them."""
        collective = Collective(steps)
        self._launched.append((collective, signature))
        self.advance()
        if self._progress is not None:
            self._progress.wake()
        return collective

    def advance(self) -> None:
        """Advance launched collectives as far as possible without waiting."""
        if not self._launched:
            return
        with timed("MPI", "MPI.advance"), self._collective_call():
            self._try_steps()

    def drain(self, last: Collective[None] | None = None) -> None:
        """Wait for launched collectives to end, optionally only up to `last`."""
        with timed("MPI", "MPI.wait"), self._collective_call(), self._advance_lock:
            self._raise_earlier_failure()  # the thread may have failed meanwhile
            while self._launched and not (last is not None and last.is_done):
                self._finish(*self._launched[0])
                self._launched.popleft()

    def _try_steps(self, by_thread: bool = False) -> None:
        """Take the steps that need no waiting, unless another thread is doing so."""
        if not self._advance_lock.acquire(blocking=False):
            return
        try:
            self._raise_earlier_failure()
            if self.is_sequential:
                while self._launched and self._launched[0][0].advance():
                    self._launched.popleft()
            else:
                self._launched = deque(one for one in self._launched if not one[0].advance())
        except BaseException as error:
            if not by_thread:
                raise
            self._failure, self.broken_by = error, _error_text(error)
        finally:
            self._advance_lock.release()

    def _advance_in_thread(self) -> bool:
        """Advance collectives from the progress thread; return whether there are more steps."""
        if not self.broken_by:
            self._try_steps(by_thread=True)
        return bool(self._launched) and not self.broken_by

    def make_sequential(self) -> None:
        """Run collectives launched from now on in sequence, because they need messages.

        A thread advances them if MPI supports calls from several threads.
        """
        self.is_sequential = True
        if self._progress is None and self.mpi.Query_thread() == self.mpi.THREAD_MULTIPLE:
            self._progress = ProgressThread(self._advance_in_thread)

    def close(self) -> None:
        """Free resources shared by the ranks; no collective can run afterwards."""
        if self._progress is not None:
            self._progress.close()
        self.comm.Free()

    def agree(self, signature: CollectiveSignature, flags: int = 0) -> int:
        """Meet the other ranks, and return the union of their flags."""
        self.drain()
        with timed("MPI", "MPI.meet"), self._collective_call():
            return self._finish(Collective(self.meet(signature, flags)), signature)

    def gather(self, data: bytes, signature: CollectiveSignature) -> list[bytes]:
        """Return the data of all ranks."""
        return self.run(all_gather_bytes(self.comm, data), signature)

    def meet(self, signature: CollectiveSignature, flags: int = 0) -> Steps[int]:
        """Wait for all ranks, compare their signatures, and return the union of their flags."""
        return flags if self.size == 1 else (yield from self._rendezvous.meet(signature, flags))

    @property
    def is_forked(self) -> bool:
        """True if this process is a forked copy of a rank, and hence not a rank."""
        return os.getpid() != self._process

    def _raise_earlier_failure(self) -> None:
        """Raise the exception of the progress thread, or an error about an earlier failure."""
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        if self.broken_by:
            raise DistributedError(
                "opforge-mpi: the ranks are out of step after an earlier failure "
                f"({self.broken_by}); end the program, and resume from a checkpoint"
            )

    @contextmanager
    def _collective_call(self) -> Iterator[None]:
        self._raise_earlier_failure()
        if self.is_forked:
            raise DistributedError(
                "opforge-mpi: a forked process (a worker of a DataLoader?) is not a rank; "
                "call collectives in the process that mpiexec started"
            )
        try:
            yield
        except BaseException as error:
            self.broken_by = _error_text(error)
            raise

    def _finish(self, collective: Collective[T], signature: CollectiveSignature) -> T:
        def late(missing: Sequence[int]) -> DistributedError:
            return self._timeout_error(missing, signature)

        return collective.finish(self.settings.timeout, late)

    def _timeout_error(
        self, missing: Sequence[int], signature: CollectiveSignature
    ) -> DistributedError:
        who = ", ".join(f"rank {rank} ({self.hosts[rank]})" for rank in missing) or "another rank"
        here = [rank for rank in range(self.size) if rank not in missing]
        return DistributedError(
            f"opforge-mpi: rank {self.rank} ({self.hosts[self.rank]}) has waited "
            f"{self.settings.timeout:g} s at the {signature} for {who}: it hangs, is lost, or "
            "needs longer. opforge_mpi.init(timeout=...) or OPFORGE_MPI_TIMEOUT sets the seconds",
            ranks=missing,
            reporting_rank=here[0] if missing else None,
        )


def _error_text(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _meeting_counts(group: NodeGroup) -> dict[int, np.ndarray]:
    """Return a shared counter for each rank of the group."""
    if not group.share_memory:
        return {}
    memory = SharedMemory(group.comm, 8)
    counters = [segment[:8].view(np.int64) for segment in memory.of_rank]
    return dict(zip(group.ranks, counters, strict=True))


def abort_all(comm: Any) -> None:
    """End all ranks, after mpiexec has had time to read this rank's output, which it would drop."""
    sys.stderr.flush()
    time.sleep(_FLUSH_SECONDS)
    with open(os.devnull, "w") as nowhere:
        faulthandler.dump_traceback_later(_ABORT_SECONDS, exit=True, file=nowhere)
        comm.Abort(1)


def _wait_for_all_to_join(comm: Any, timeout: float) -> None:
    """Wait until all ranks join, with a time limit, which later collective calls do not have."""

    def late(missing: Sequence[int]) -> DistributedError:
        atexit.register(abort_all, comm)  # MPI's finalization would wait for them as well
        return DistributedError(
            f"opforge-mpi: rank {comm.rank} ({socket.gethostname()}) has waited {timeout:g} s for "
            f"rank {', '.join(map(str, missing))} to join: it hangs, is lost, or needs longer. "
            "opforge_mpi.init(timeout=...) or OPFORGE_MPI_TIMEOUT sets the seconds",
            ranks=missing,
        )

    greetings = np.zeros((comm.size, 1), np.int8)
    arrival = all_gather_into(comm, greetings[comm.rank], greetings, _JOIN_TAG)
    Collective(arrival).finish(timeout, late)


def _require_equal_settings(settings: Sequence[Settings], hosts: Sequence[str]) -> None:
    """Reject settings that differ between ranks, which would cause deadlocks."""
    odd = [rank for rank, one in enumerate(settings) if one != settings[0]]
    if odd:
        raise DistributedError(
            f"opforge-mpi: rank 0 ({hosts[0]}) has {settings[0]}, but rank {odd[0]} "
            f"({hosts[odd[0]]}) has {settings[odd[0]]}. Pass all ranks the same arguments of init "
            "and the same "
            "OPFORGE_MPI_* variables",
            ranks=odd,
            reporting_rank=0,
        )
