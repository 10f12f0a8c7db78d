"""Horovod's face, name for name: what ``import horovod.mxnet`` gives in programs of MXNet.

Beside what `opforge_mpi` has under the same names it has Horovod's questions about itself, and
takes its settings. Nothing is communicated here.
"""

import warnings
from typing import Any

from opforge.plugin_api import OpforgeError

from . import library, running
from .arrays import allgather as allgather
from .arrays import allreduce as allreduce
from .arrays import allreduce_ as allreduce_
from .arrays import broadcast as broadcast
from .arrays import broadcast_ as broadcast_
from .arrays import broadcast_parameters as broadcast_parameters
from .objects import allgather_object as allgather_object
from .objects import broadcast_object as broadcast_object
from .optimizer import DistributedOptimizer as DistributedOptimizer
from .running import is_initialized as is_initialized
from .running import local_rank as local_rank
from .running import local_size as local_size
from .running import rank as rank
from .running import shutdown as shutdown
from .running import size as size
from .trainer import DistributedTrainer as _Trainer

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

# Programs that also run without Horovod catch an ImportError here; MPI starts with `init`.
library.expect_installed()


class Compression:
    """Compression of gradients, by the names of Horovod's programs.

    Which type it is all ranks decide together, before the first sum:
    ``opforge_mpi.init(half_messages=True)`` or ``OPFORGE_MPI_HALF_MESSAGES=1`` is `fp16`.
    """

    none = "none"
    fp16 = "fp16"


class DistributedTrainer(_Trainer):
    """`opforge_mpi.DistributedTrainer`, with Horovod's other settings.

    Parameters
    ----------
    params, optimizer, optimizer_params
        As of `opforge_mpi.DistributedTrainer`; a `DistributedOptimizer` is unwrapped.
    compression : {Compression.none, Compression.fp16}
        Must be how the ranks have joined.
    gradient_predivide_factor : float, default 1.0
        Accepted: gradients are divided once, behind the sum.
    prefix : str, optional
        Accepted: parameters have names.
    num_groups : int, default 0
        Accepted: buckets have a size.

    Raises
    ------
    OpforgeError
        The ranks have joined for messages of another type.
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
        if compression == Compression.fp16 and not running.world().settings.half_messages:
            raise OpforgeError(
                "DistributedTrainer: got compression=fp16, but the ranks have joined for whole "
                "messages; set OPFORGE_MPI_HALF_MESSAGES=1, or call "
                "opforge_mpi.init(half_messages=True) first"
            )
        if isinstance(optimizer, DistributedOptimizer):
            warnings.warn(
                "DistributedTrainer takes the optimizer itself; the DistributedOptimizer around it "
                "is left out",
                stacklevel=2,
            )
            optimizer = optimizer.unwrapped()
        super().__init__(params, optimizer, optimizer_params)


def init(comm: Any = None) -> None:
    """Join the other ranks, unless that is done.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm, optional
        As of `opforge_mpi.init`.
    """
    if not is_initialized():
        running.init(comm)


def cross_rank() -> int:
    """Return the number of this rank's machine among those of the ranks, from 0."""
    return _machines().index(_world_host())


def cross_size() -> int:
    """Return how many machines there are."""
    return len(_machines())


def _machines() -> list[str]:
    return list(dict.fromkeys(running.world().hosts))


def _world_host() -> str:
    here = running.world()
    return here.hosts[here.rank]


def mpi_built() -> bool:
    """Tell whether MPI is used: always."""
    return True


mpi_enabled = mpi_built


def mpi_threads_supported() -> bool:
    """Tell whether the program's own mpi4py may be used from other threads: ask it."""
    mpi = running.world().mpi
    return bool(mpi.Query_thread() == mpi.THREAD_MULTIPLE)


def gloo_built() -> bool:
    """Tell whether Gloo is used: never."""
    return False


gloo_enabled = nccl_built = gloo_built
