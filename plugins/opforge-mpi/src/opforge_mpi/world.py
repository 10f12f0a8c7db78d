"""`World`: the ranks of this program's run, and the collectives that they take part in."""

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

from . import library
from .claims import Claim
from .errors import DistributedError
from .meeting import Meeting, gathered
from .messages import told_to_all
from .neighbours import Neighbours
from .progress import Progress
from .settings import Settings
from .shared import SharedMemory
from .waiting import Collective, Steps

__all__ = ["World", "end_all"]

T = TypeVar("T")

#: Tag of the messages by which ranks join, on the program's own communicator; the largest that any
#: MPI must have.
_JOINING = 32767
#: Seconds in which mpiexec reads what a rank printed before it ends all.
_TO_BE_READ = 0.1
#: Seconds in which MPI ends this rank; it tries for ever where it cannot tell the other machines.
_TO_BE_ENDED = 2


class World:
    """The ranks that train together.

    Collectives run one after the other, in the order in which the program begins with them: by it
    MPI tells messages apart. Sums that need none go on side by side. After a collective that fails
    there can be no other: ranks would take one for another.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
        Is duplicated, so that the program's own messages and these never meet.
    settings : Settings
    """

    def __init__(self, comm: Any, settings: Settings) -> None:
        self.mpi = library.load()
        _expect_all(comm, settings.timeout)
        self.comm = comm.Dup()
        #: Where ranks meet that are out of step, to end together.
        self.ends = comm.Dup()
        self.settings = settings
        self.rank: int = self.comm.rank
        self.size: int = self.comm.size
        every = self.comm.allgather((socket.gethostname(), os.getpid(), settings))
        self.hosts: list[str] = [host for host, _, _ in every]
        self.processes: list[int] = [process for _, process, _ in every]
        _expect_alike([theirs for _, _, theirs in every], self.hosts)
        machine = self.comm.Split_type(self.mpi.COMM_TYPE_SHARED)
        self.local_rank: int = machine.rank
        self.local_size: int = machine.size
        limit = settings.sharing_ranks if settings.shared_memory else 1
        self.neighbours = Neighbours(self.comm, machine, limit)
        machine.Free()
        self._meeting = Meeting(comm.Dup(), self.hosts, _counts_of(self.neighbours))
        self.is_ahead = self._meeting.is_ahead
        self._process = os.getpid()
        #: The failure behind which there can be no collective.
        self.broken_by = ""
        self._begun: deque[tuple[Collective[None], Claim]] = deque()
        #: Held by who goes on with what was launched.
        self._driving = threading.Lock()
        #: Whether what is launched is done one after the other, and not side by side.
        self.keeps_turns = False
        self._progress: Progress | None = None
        if self.neighbours.has_others:
            self.keep_turns()
        #: What has ended the thread, until the program learns it.
        self._failure: BaseException | None = None

    def run(self, steps: Steps[T], claim: Claim) -> T:
        """Meet the other ranks under a claim, then take the steps, and return their result.

        Raises
        ------
        DistributedError
            Others came with another claim or not in time, or an earlier collective failed.
        """

        def all_steps() -> Steps[T]:
            yield from self.meet(claim)
            return (yield from steps)

        self.drain()
        with timed("MPI", "MPI.collective"), self._all_or_none():
            return self._finished(Collective(all_steps()), claim)

    def launch(self, steps: Steps[None], claim: Claim) -> Collective[None]:
        """Begin with steps that make sure themselves that all ranks take them."""
        begun = Collective(steps)
        self._begun.append((begun, claim))
        self.advance()
        if self._progress is not None:
            self._progress.wake()
        return begun

    def advance(self) -> None:
        """Go on with what was launched as far as it goes without waiting."""
        if not self._begun:
            return
        with timed("MPI", "MPI.advance"), self._all_or_none():
            self._try_steps()

    def drain(self, last: Collective[None] | None = None) -> None:
        """Wait for the end of what was launched, up to `last` where that is given."""
        with timed("MPI", "MPI.wait"), self._all_or_none(), self._driving:
            self._expect_sound()  # the thread may have failed meanwhile
            while self._begun and not (last is not None and last.is_done):
                self._finished(*self._begun[0])
                self._begun.popleft()

    def _try_steps(self, by_thread: bool = False) -> None:
        """Take the steps that need no waiting, unless another thread does."""
        if not self._driving.acquire(blocking=False):
            return
        try:
            self._expect_sound()
            if self.keeps_turns:
                while self._begun and self._begun[0][0].advance():
                    self._begun.popleft()
            else:
                self._begun = deque(one for one in self._begun if not one[0].advance())
        except BaseException as error:
            if not by_thread:
                raise
            self._failure, self.broken_by = error, _told(error)
        finally:
            self._driving.release()

    def _go_on(self) -> bool:
        """Do what the thread does, and tell whether there is more to come."""
        if not self.broken_by:
            self._try_steps(by_thread=True)
        return bool(self._begun) and not self.broken_by

    def keep_turns(self) -> None:
        """Do one after the other what is launched from now on: it needs messages.

        A thread goes on with these, if MPI takes calls from several at once.
        """
        self.keeps_turns = True
        if self._progress is None and self.mpi.Query_thread() == self.mpi.THREAD_MULTIPLE:
            self._progress = Progress(self._go_on)

    def close(self) -> None:
        """Give back what belongs to the ranks together; there can be no collective any more."""
        if self._progress is not None:
            self._progress.close()
        self.comm.Free()

    def agree(self, claim: Claim, wishes: int = 0) -> int:
        """Meet the other ranks, and return what any of them wishes."""
        self.drain()
        with timed("MPI", "MPI.meet"), self._all_or_none():
            return self._finished(Collective(self.meet(claim, wishes)), claim)

    def gather(self, data: bytes, claim: Claim) -> list[bytes]:
        """Return the data of all ranks."""
        return self.run(gathered(self.comm, data), claim)

    def meet(self, claim: Claim, wishes: int = 0) -> Steps[int]:
        """Wait until every rank has come, compare their claims, and return all ranks' wishes."""
        return wishes if self.size == 1 else (yield from self._meeting.meet(claim, wishes))

    @property
    def is_forked(self) -> bool:
        """Return whether this process is a forked copy of a rank, and hence has none."""
        return os.getpid() != self._process

    def _expect_sound(self) -> None:
        """Raise what the thread has failed with, or that there was a failure."""
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        if self.broken_by:
            raise DistributedError(
                "opforge-mpi: the ranks are out of step since an earlier failure "
                f"({self.broken_by}); end the program, and go on from a checkpoint"
            )

    @contextmanager
    def _all_or_none(self) -> Iterator[None]:
        self._expect_sound()
        if self.is_forked:
            raise DistributedError(
                "opforge-mpi: a forked process (a worker of a DataLoader?) has no rank of its own; "
                "call collectives in the process that mpiexec started"
            )
        try:
            yield
        except BaseException as error:
            self.broken_by = _told(error)
            raise

    def _finished(self, collective: Collective[T], claim: Claim) -> T:
        def late(missing: Sequence[int]) -> DistributedError:
            return self._late(missing, claim)

        return collective.finish(self.settings.timeout, late)

    def _late(self, missing: Sequence[int], claim: Claim) -> DistributedError:
        who = ", ".join(f"rank {rank} ({self.hosts[rank]})" for rank in missing) or "another rank"
        here = [rank for rank in range(self.size) if rank not in missing]
        return DistributedError(
            f"opforge-mpi: rank {self.rank} ({self.hosts[self.rank]}) has waited "
            f"{self.settings.timeout:g} s at the {claim} for {who}: it hangs, is lost, or needs "
            "longer. opforge_mpi.init(timeout=...) or OPFORGE_MPI_TIMEOUT sets the seconds",
            ranks=missing,
            teller=here[0] if missing else None,
        )


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _counts_of(neighbours: Neighbours) -> dict[int, np.ndarray]:
    """Return a number of each rank that shares memory, seen by all of them."""
    if not neighbours.share_memory:
        return {}
    board = SharedMemory(neighbours.comm, 8)
    numbers = [one[:8].view(np.int64) for one in board.of_rank]
    return dict(zip(neighbours.ranks, numbers, strict=True))


def end_all(comm: Any) -> None:
    """End all ranks, once mpiexec has had time to read what this one printed: it drops the rest."""
    sys.stderr.flush()
    time.sleep(_TO_BE_READ)
    with open(os.devnull, "w") as nowhere:
        faulthandler.dump_traceback_later(_TO_BE_ENDED, exit=True, file=nowhere)
        comm.Abort(1)


def _expect_all(comm: Any, timeout: float) -> None:
    """Wait until all ranks join: what follows is done by them together, and waits for ever."""

    def late(missing: Sequence[int]) -> DistributedError:
        atexit.register(end_all, comm)  # MPI's own end waits for them as well
        return DistributedError(
            f"opforge-mpi: rank {comm.rank} ({socket.gethostname()}) has waited {timeout:g} s for "
            f"rank {', '.join(map(str, missing))} to join: it hangs, is lost, or needs longer. "
            "opforge_mpi.init(timeout=...) or OPFORGE_MPI_TIMEOUT sets the seconds",
            ranks=missing,
        )

    greetings = np.zeros((comm.size, 1), np.int8)
    arrival = told_to_all(comm, greetings[comm.rank], greetings, _JOINING)
    Collective(arrival).finish(timeout, late)


def _expect_alike(settings: Sequence[Settings], hosts: Sequence[str]) -> None:
    """Refuse settings that differ between ranks, which would wait for each other in vain."""
    odd = [rank for rank, one in enumerate(settings) if one != settings[0]]
    if odd:
        raise DistributedError(
            f"opforge-mpi: rank 0 ({hosts[0]}) has {settings[0]}, rank {odd[0]} ({hosts[odd[0]]}) "
            f"{settings[odd[0]]}; pass all ranks the same arguments of init and the same "
            "OPFORGE_MPI_* variables",
            ranks=odd,
            teller=0,
        )
