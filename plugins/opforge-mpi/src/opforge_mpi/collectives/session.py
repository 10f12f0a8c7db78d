"""The `World` of this process, created on first use and left when the program ends.

The end of a program is a meeting as well, so that ranks that wait for one that ends early, or with
an exception, notice it and raise an error instead of hanging.
"""

import atexit
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

from opforge.plugin_api import ranks

from .. import library
from ..errors import DistributedError
from ..process.exit_status import fail_on_exit
from ..process.stale_segments import remove_stale_segments
from ..process.watchdog import print_exit_message, startup_timeout
from ..settings import Settings
from ..transport.steps import Collective, Requests, Steps
from .process_group import ProcessGroup
from .signature import END_OF_PROGRAM, CollectiveSignature
from .world import World, abort_all

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

#: Seconds that a failed rank gives the others to end by themselves before it ends them; and the
#: seconds that a rank interrupted by the user gives them.
_GRACE_PERIOD, _INTERRUPT_GRACE_PERIOD = 10.0, 0.5
_INTERRUPT = KeyboardInterrupt.__name__

_world: World | None = None
_dismiss_exit_message: Callable[[], None] | None = None
_restore_exit: Callable[[], None] | None = None
_failure = ""
#: Previous handler of uncaught exceptions.
_previous_hook = sys.__excepthook__


def init(
    comm: Any = None,
    timeout: float | None = None,
    bucket_mb: float | None = None,
    shared_memory: bool | None = None,
    sharing_ranks: int | None = None,
    half_messages: bool | None = None,
) -> None:
    """Join the other ranks; the first collective does so automatically.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm, optional
        The ranks that train together; default: all that `mpiexec` started.
    timeout : float, optional
        Seconds that a rank waits for another one before it raises; default: the environment
        variable ``OPFORGE_MPI_TIMEOUT``, or 60.
    bucket_mb : float, optional
        Size in MiB of the buckets in which gradients are summed; default:
        ``OPFORGE_MPI_BUCKET_MB``,
        or 1.
    shared_memory : bool, optional
        Sum in shared memory between ranks of one machine; default: True unless
        ``OPFORGE_MPI_SHARED_MEMORY`` is 0.
    sharing_ranks : int, optional
        Maximum number of ranks that share memory, for instance those of one socket; 0: all of a
        machine. Default: ``OPFORGE_MPI_SHARING_RANKS``, or 0.
    half_messages : bool, optional
        Send float32 gradients between machines as float16, and add them in float32; values then
        have 11 significant bits and must be below 65,520. Default: True if
        ``OPFORGE_MPI_HALF_MESSAGES`` is 1.

    Raises
    ------
    OpforgeError
        MPI is not available, or the ranks have already joined.
    ValueError
        A number is out of range.
    """
    global _world, _previous_hook, _dismiss_exit_message, _restore_exit
    if _world is not None:
        raise DistributedError(
            "opforge_mpi.init: the ranks have already joined; call it before any other function of "
            "opforge_mpi, or call opforge_mpi.shutdown() first"
        )
    settings = Settings.read(timeout, bucket_mb, shared_memory, sharing_ranks, half_messages)
    remove_stale_segments()
    with startup_timeout(settings.timeout):
        mpi = library.load()
    _world = World(mpi.COMM_WORLD if comm is None else comm, settings)
    ranks.join(ProcessGroup(_world))
    if _world.size > 1:
        _restore_exit = fail_on_exit(_world.rank)
    if _world.size > 1 and _world.local_rank == 0:
        _dismiss_exit_message = print_exit_message(_exit_message(_world))
    atexit.register(_leave)
    if sys.excepthook is not _print_once:
        _previous_hook, sys.excepthook = sys.excepthook, _print_once


def world() -> World:
    """Return the ranks of this run, after joining them if necessary."""
    if _world is None:
        init()
    assert _world is not None
    return _world


def is_initialized() -> bool:
    """Return whether this process has joined the other ranks."""
    return _world is not None


def shutdown() -> None:
    """Leave the other ranks, once all have called it; done automatically at the program's end.

    Raises
    ------
    DistributedError
        Other ranks call another collective.
    """
    global _world
    if _world is None:
        return
    atexit.unregister(_leave)
    leaving, _world = _world, None
    ranks.leave()
    leaving.agree(CollectiveSignature(END_OF_PROGRAM))
    _remove_exit_hooks()
    leaving.close()


def rank() -> int:
    """Return the rank of this process among all, from 0."""
    return world().rank


def size() -> int:
    """Return the number of ranks."""
    return world().size


def local_rank() -> int:
    """Return the rank of this process among those of its machine, from 0."""
    return world().local_rank


def local_size() -> int:
    """Return the number of ranks on this machine."""
    return world().local_size


def _print_once(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print the exception that ends a rank, unless another rank reports it."""
    global _failure
    _failure = f"{kind.__name__}: {error}"
    reporting_rank = _reporting_rank(error)
    if _world is not None and _world.size > 1:
        if reporting_rank not in (None, _world.rank) or (kind is KeyboardInterrupt and _world.rank):
            return
        print(
            f"opforge-mpi: rank {_world.rank} ({_world.hosts[_world.rank]}) fails:",
            file=sys.stderr,
            flush=True,
        )
    _previous_hook(kind, error, trace)


def _reporting_rank(error: BaseException | None) -> int | None:
    """Return the rank that reports an error, which an operator may have wrapped; None: each."""
    while error is not None and not isinstance(error, DistributedError):
        error = error.__cause__
    return None if error is None else error.reporting_rank


def _exit_message(world: World) -> str:
    """Return the message for killed ranks of this machine; mpiexec only prints a process id."""
    here = world.hosts[world.rank]
    local = [rank for rank, host in enumerate(world.hosts) if host == here]
    names = ", ".join(f"rank {rank} was process {world.processes[rank]}" for rank in local)
    return (
        "opforge-mpi: a rank has ended without a message: killed, out of memory, or crashed. "
        f"mpiexec prints its process and status; on {here} {names}"
    )


def _remove_exit_hooks() -> None:
    global _dismiss_exit_message
    if _restore_exit is not None:
        _restore_exit()
    if _dismiss_exit_message is not None:
        _dismiss_exit_message()
    _dismiss_exit_message = None


def _leave() -> None:
    """Meet the other ranks at the end of the program, or end them if that is impossible."""
    if _world is None or _world.size == 1 or _world.is_forked:
        return
    is_interrupted = _INTERRUPT in (_failure.partition(":")[0], _world.broken_by.partition(":")[0])
    try:
        if not _world.broken_by and not is_interrupted:
            _world.agree(
                CollectiveSignature(
                    f"{END_OF_PROGRAM} after {_failure}" if _failure else END_OF_PROGRAM
                )
            )
            _remove_exit_hooks()
            return
    except DistributedError as error:
        if not _failure and error.reporting_rank in (None, _world.rank):
            print(error, file=sys.stderr, flush=True)
    grace = _INTERRUPT_GRACE_PERIOD if is_interrupted else _GRACE_PERIOD
    _abort_after(_world, min(grace, _world.settings.timeout))


def _abort_after(world: World, grace: float) -> None:
    """Give the other ranks, which have been notified, time to end, then end those that have not."""
    sys.stderr.flush()
    _remove_exit_hooks()
    try:
        Collective(_end_barrier(world)).finish(grace, lambda missing: DistributedError(""))
    except DistributedError:
        if _failure.startswith(_INTERRUPT) and world.rank:
            who = f"rank {world.rank} ({world.hosts[world.rank]})"
            print(f"opforge-mpi: {who} was interrupted: it ends all", file=sys.stderr, flush=True)
        abort_all(world.comm)


def _end_barrier(world: World) -> Steps[None]:
    yield Requests([world.ends.Ibarrier()])
