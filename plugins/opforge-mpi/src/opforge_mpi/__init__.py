"""Data-parallel training on MPI.

A plugin of opforge. Neither MPI nor the rest of opforge is imported before it is needed.

Its packages import each other in one direction: `training` imports `collectives`, which imports
`process` and `transport`. All of them may import `errors`, `library` and `settings`; the public
modules `horovod` and `sampling`, and `benchmarks`, may import all of them.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .collectives.arrays import allgather as allgather
    from .collectives.arrays import allreduce as allreduce
    from .collectives.arrays import allreduce_ as allreduce_
    from .collectives.arrays import barrier as barrier
    from .collectives.arrays import broadcast as broadcast
    from .collectives.arrays import broadcast_ as broadcast_
    from .collectives.arrays import broadcast_parameters as broadcast_parameters
    from .collectives.objects import allgather_object as allgather_object
    from .collectives.objects import broadcast_object as broadcast_object
    from .collectives.session import init as init
    from .collectives.session import is_initialized as is_initialized
    from .collectives.session import local_rank as local_rank
    from .collectives.session import local_size as local_size
    from .collectives.session import rank as rank
    from .collectives.session import shutdown as shutdown
    from .collectives.session import size as size
    from .errors import DistributedError as DistributedError
    from .training.checkpoints import CheckpointManager as CheckpointManager
    from .training.metrics import metric_of_all as metric_of_all
    from .training.optimizer import DistributedOptimizer as DistributedOptimizer
    from .training.sampling import split_sampler as split_sampler
    from .training.trainer import DistributedTrainer as DistributedTrainer

_EXPORTS = {
    "collectives.arrays": (
        "allgather",
        "allreduce",
        "allreduce_",
        "barrier",
        "broadcast",
        "broadcast_",
        "broadcast_parameters",
    ),
    "training.checkpoints": ("CheckpointManager",),
    "errors": ("DistributedError",),
    "training.metrics": ("metric_of_all",),
    "collectives.objects": ("allgather_object", "broadcast_object"),
    "training.optimizer": ("DistributedOptimizer",),
    "collectives.session": (
        "init",
        "is_initialized",
        "local_rank",
        "local_size",
        "rank",
        "shutdown",
        "size",
    ),
    "training.sampling": ("split_sampler",),
    "training.trainer": ("DistributedTrainer",),
}
_MODULES = {name: module for module, names in _EXPORTS.items() for name in names}
__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value = getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
    return value
