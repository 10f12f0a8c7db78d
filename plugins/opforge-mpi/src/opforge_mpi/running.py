"""The `World` of this process: made at the first use, left when the program ends.

The end of a program is a meeting too. So a rank that ends early, or by an exception, is noticed by
those that wait for it, and they say so instead of hanging.
"""

import atexit
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

from opforge.plugin_api import ranks

from . import library
from .claims import END, Claim
from .errors import DistributedError
from .leaving import fail_on_exit
from .leftovers import remove_leftovers
from .peers import Peers
from .settings import Settings
from .waiting import Collective, Requests, Steps
from .watching import obituary, started_in_time
from .world import World, end_all

__all__ = [
    "init",
    "is_initialized",
    "local_rank",
    "local_size",
    "rank",
    "shutdown",
    "size",
    "world",
]

#: Seconds that a failed rank gives the others to end by themselves before it ends them, and those
#: that one gives which the user has interrupted.
_GRACE, _HASTE = 10.0, 0.5
_INTERRUPT = KeyboardInterrupt.__name__

_world: World | None = None
_farewell: Callable[[], None] | None = None
_restore_exit: Callable[[], None] | None = None
_failure = ""
#: What printed uncaught exceptions before.
_before = sys.__excepthook__


def init(
    comm: Any = None,
    timeout: float | None = None,
    bucket_mb: float | None = None,
    shared_memory: bool | None = None,
    sharing_ranks: int | None = None,
    half_messages: bool | None = None,
) -> None:
    """Join the other ranks; the first collective does it where the program does not.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm, optional
        The ranks that train together; default: all that `mpiexec` started.
    timeout : float, optional
        Seconds that a rank waits for another one before it raises; default: the environment
        variable ``OPFORGE_MPI_TIMEOUT``, or 60.
    bucket_mb : float, optional
        Gradients are summed in pieces of about so many MiB; default: ``OPFORGE_MPI_BUCKET_MB``,
        or 1.
    shared_memory : bool, optional
        Let ranks of one machine sum in memory that they share; default: True unless
        ``OPFORGE_MPI_SHARED_MEMORY`` is 0.
    sharing_ranks : int, optional
        Let so many neighbours share memory at most, for instance those of one socket; 0: all of a
        machine. Default: ``OPFORGE_MPI_SHARING_RANKS``, or 0.
    half_messages : bool, optional
        Let gradients of 32 bits travel between machines in 16, and add them in 32; each then has
        11 bits and must be below 65,520. Default: whether ``OPFORGE_MPI_HALF_MESSAGES`` is 1.

    Raises
    ------
    OpforgeError
        There is no MPI, or the ranks have joined already.
    ValueError
        A number is not what it can be.
    """
    global _world, _before, _farewell, _restore_exit
    if _world is not None:
        raise DistributedError(
            "opforge_mpi.init: the ranks have joined already; call it before anything else of "
            "opforge_mpi, or call opforge_mpi.shutdown() first"
        )
    settings = Settings.read(timeout, bucket_mb, shared_memory, sharing_ranks, half_messages)
    remove_leftovers()
    with started_in_time(settings.timeout):
        mpi = library.load()
    _world = World(mpi.COMM_WORLD if comm is None else comm, settings)
    ranks.join(Peers(_world))
    if _world.size > 1:
        _restore_exit = fail_on_exit(_world.rank)
    if _world.size > 1 and _world.local_rank == 0:
        _farewell = obituary(_epitaph(_world))
    atexit.register(_leave)
    if sys.excepthook is not _told_once:
        _before, sys.excepthook = sys.excepthook, _told_once


def world() -> World:
    """Return the ranks of this program's run."""
    if _world is None:
        init()
    assert _world is not None
    return _world


def is_initialized() -> bool:
    """Tell whether this process has joined the others."""
    return _world is not None


def shutdown() -> None:
    """Leave the other ranks, once all are here; a program's end does it.

    Raises
    ------
    DistributedError
        Others are at something else.
    """
    global _world
    if _world is None:
        return
    atexit.unregister(_leave)
    leaving, _world = _world, None
    ranks.leave()
    leaving.agree(Claim(END))
    _say_farewell()
    leaving.close()


def rank() -> int:
    """Return the number of this process among all ranks, from 0."""
    return world().rank


def size() -> int:
    """Return how many ranks there are."""
    return world().size


def local_rank() -> int:
    """Return the number of this process among the ranks of its machine, from 0."""
    return world().local_rank


def local_size() -> int:
    """Return how many ranks there are on this machine."""
    return world().local_size


def _told_once(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print what ends a rank, unless it is another rank that tells it."""
    global _failure
    _failure = f"{kind.__name__}: {error}"
    teller = _teller(error)
    if _world is not None and _world.size > 1:
        if teller not in (None, _world.rank) or (kind is KeyboardInterrupt and _world.rank):
            return
        print(
            f"opforge-mpi: rank {_world.rank} ({_world.hosts[_world.rank]}) fails:",
            file=sys.stderr,
            flush=True,
        )
    _before(kind, error, trace)


def _teller(error: BaseException | None) -> int | None:
    """Return which rank tells an error, which an operator may have wrapped; None: each."""
    while error is not None and not isinstance(error, DistributedError):
        error = error.__cause__
    return None if error is None else error.teller


def _epitaph(world: World) -> str:
    """Return what to print if ranks of this machine are killed: mpiexec tells only a process."""
    here = world.hosts[world.rank]
    local = [rank for rank, host in enumerate(world.hosts) if host == here]
    names = ", ".join(f"rank {rank} was process {world.processes[rank]}" for rank in local)
    return (
        "opforge-mpi: a rank has ended without a word: killed, out of memory, or crashed. mpiexec "
        f"prints its process and status; on {here} {names}"
    )


def _say_farewell() -> None:
    global _farewell
    if _restore_exit is not None:
        _restore_exit()
    if _farewell is not None:
        _farewell()
    _farewell = None


def _leave() -> None:
    """Meet the others at the end of the program, or end them where that cannot be."""
    if _world is None or _world.size == 1 or _world.is_forked:
        return
    is_interrupted = _INTERRUPT in (_failure.partition(":")[0], _world.broken_by.partition(":")[0])
    try:
        if not _world.broken_by and not is_interrupted:
            _world.agree(Claim(f"{END} after {_failure}" if _failure else END))
            _say_farewell()
            return
    except DistributedError as error:
        if not _failure and error.teller in (None, _world.rank):
            print(error, file=sys.stderr, flush=True)
    _end_together(_world, _HASTE if is_interrupted else min(_GRACE, _world.settings.timeout))


def _end_together(world: World, grace: float) -> None:
    """Wait a while for the others, who know by now, and end those that do not come."""
    sys.stderr.flush()
    _say_farewell()
    try:
        Collective(_all_here(world)).finish(grace, lambda missing: DistributedError(""))
    except DistributedError:
        if _failure.startswith(_INTERRUPT) and world.rank:
            who = f"rank {world.rank} ({world.hosts[world.rank]})"
            print(f"opforge-mpi: {who} was interrupted: it ends all", file=sys.stderr, flush=True)
        end_all(world.comm)


def _all_here(world: World) -> Steps[None]:
    yield Requests([world.ends.Ibarrier()])
