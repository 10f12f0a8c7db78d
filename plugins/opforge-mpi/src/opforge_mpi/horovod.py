"""Horovod's interface: the module that ``import horovod.mxnet`` imports in MXNet programs.

In addition to the functions that `opforge_mpi` has under the same names, it provides Horovod's
queries of its build, and accepts Horovod's settings. Nothing is communicated here.
"""

import warnings
from typing import Any

from opforge.plugin_api import OpforgeError

from . import library
from .collectives import session
from .collectives.arrays import allgather as allgather
from .collectives.arrays import allreduce as allreduce
from .collectives.arrays import allreduce_ as allreduce_
from .collectives.arrays import broadcast as broadcast
from .collectives.arrays import broadcast_ as broadcast_
from .collectives.arrays import broadcast_parameters as broadcast_parameters
from .collectives.objects import allgather_object as allgather_object
from .collectives.objects import broadcast_object as broadcast_object
from .collectives.session import is_initialized as is_initialized
from .collectives.session import local_rank as local_rank
from .collectives.session import local_size as local_size
from .collectives.session import rank as rank
from .collectives.session import shutdown as shutdown
from .collectives.session import size as size
from .training.optimizer import DistributedOptimizer as DistributedOptimizer
from .training.trainer import DistributedTrainer as _Trainer

__all__ = [
    "Compression",
    "DistributedOptimizer",
    "DistributedTrainer",
    "allgather",
    "allgather_object",
    "allreduce",
    "allreduce_",
    "broadcast",
    "broadcast_",
    "broadcast_object",
    "broadcast_parameters",
    "cross_rank",
    "cross_size",
    "gloo_built",
    "gloo_enabled",
    "init",
    "is_initialized",
    "local_rank",
    "local_size",
    "mpi_built",
    "mpi_enabled",
    "mpi_threads_supported",
    "nccl_built",
    "rank",
    "shutdown",
    "size",
]

# Programs that can run without Horovod catch an ImportError here; `init` starts MPI.
library.expect_installed()


class Compression:
    """Gradient compression, with Horovod's names.

    All ranks choose the type together, before the first sum:
    ``opforge_mpi.init(half_messages=True)`` or ``OPFORGE_MPI_HALF_MESSAGES=1`` selects `fp16`.
    """

    none = "none"
    fp16 = "fp16"


class DistributedTrainer(_Trainer):
    """`opforge_mpi.DistributedTrainer` with Horovod's additional settings.

    Parameters
    ----------
    params, optimizer, optimizer_params
        See `opforge_mpi.DistributedTrainer`; a `DistributedOptimizer` is unwrapped.
    compression : {Compression.none, Compression.fp16}
        Must match the setting with which the ranks have joined.
    gradient_predivide_factor : float, default 1.0
        Ignored; gradients are divided once, after the sum.
    prefix : str, optional
        Ignored; parameters have names.
    num_groups : int, default 0
        Ignored; buckets have a size.

    Raises
    ------
    OpforgeError
        The ranks have joined with another message type.
    """

    def __init__(
        self,
        params: Any,
        optimizer: Any,
        optimizer_params: dict[str, Any] | None = None,
        compression: str = Compression.none,
        gradient_predivide_factor: float = 1.0,
        prefix: str | None = None,
        num_groups: int = 0,
    ) -> None:
        if compression == Compression.fp16 and not session.world().settings.half_messages:
            raise OpforgeError(
                "DistributedTrainer: got compression=fp16, but the ranks have joined with full "
                "float32 messages. Set OPFORGE_MPI_HALF_MESSAGES=1, or call "
                "opforge_mpi.init(half_messages=True) first"
            )
        if isinstance(optimizer, DistributedOptimizer):
            warnings.warn(
                "DistributedTrainer expects the optimizer itself; the DistributedOptimizer around "
                "it is ignored",
                stacklevel=2,
            )
            optimizer = optimizer.unwrapped()
        super().__init__(params, optimizer, optimizer_params)


def init(comm: Any = None) -> None:
    """Join the other ranks, unless that has been done.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm, optional
        See `opforge_mpi.init`.
    """
    if not is_initialized():
        session.init(comm)


def cross_rank() -> int:
    """Return the index of this rank's machine, from 0."""
    return _machines().index(_world_host())


def cross_size() -> int:
    """Return the number of machines."""
    return len(_machines())


def _machines() -> list[str]:
    return list(dict.fromkeys(session.world().hosts))


def _world_host() -> str:
    here = session.world()
    return here.hosts[here.rank]


def mpi_built() -> bool:
    """Return whether MPI is used: always True."""
    return True


mpi_enabled = mpi_built


def mpi_threads_supported() -> bool:
    """Return whether the program may use mpi4py from several threads, as reported by MPI."""
    mpi = session.world().mpi
    return bool(mpi.Query_thread() == mpi.THREAD_MULTIPLE)


def gloo_built() -> bool:
    """Return whether Gloo is used: always False."""
    return False


gloo_enabled = nccl_built = gloo_built
