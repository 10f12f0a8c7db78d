"""Data-parallel training on MPI.

A plugin of opforge. Neither MPI nor the rest of opforge is imported before it is needed.
"""

import importlib
from typing import TYPE_CHECKING, Any

from opforge.plugin_api import hookimpl

if TYPE_CHECKING:
    from .array_collectives import allgather as allgather
    from .array_collectives import allreduce as allreduce
    from .array_collectives import allreduce_ as allreduce_
    from .array_collectives import barrier as barrier
    from .array_collectives import broadcast as broadcast
    from .array_collectives import broadcast_ as broadcast_
    from .array_collectives import broadcast_parameters as broadcast_parameters
    from .checkpoints import CheckpointManager as CheckpointManager
    from .errors import DistributedError as DistributedError
    from .metrics import metric_of_all as metric_of_all
    from .object_collectives import allgather_object as allgather_object
    from .object_collectives import broadcast_object as broadcast_object
    from .optimizer import DistributedOptimizer as DistributedOptimizer
    from .sampling import split_sampler as split_sampler
    from .session import init as init
    from .session import is_initialized as is_initialized
    from .session import local_rank as local_rank
    from .session import local_size as local_size
    from .session import rank as rank
    from .session import shutdown as shutdown
    from .session import size as size
    from .trainer import DistributedTrainer as DistributedTrainer

_EXPORTS = {
    "array_collectives": (
        "allgather",
        "allreduce",
        "allreduce_",
        "barrier",
        "broadcast",
        "broadcast_",
        "broadcast_parameters",
    ),
    "checkpoints": ("CheckpointManager",),
    "errors": ("DistributedError",),
    "metrics": ("metric_of_all",),
    "object_collectives": ("allgather_object", "broadcast_object"),
    "optimizer": ("DistributedOptimizer",),
    "session": ("init", "is_initialized", "local_rank", "local_size", "rank", "shutdown", "size"),
    "sampling": ("split_sampler",),
    "trainer": ("DistributedTrainer",),
}
_MODULES = {name: module for module, names in _EXPORTS.items() for name in names}
__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value = getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
    return value


@hookimpl
def opforge_contributions() -> Any:
    """Return the stores."""
    from . import stores

    return {
        "kvstore": {
            "dist": stores.Dist,
            "dist_async": stores.DistAsync,
            "dist_device_sync": stores.DistDeviceSync,
            "dist_sync": stores.DistSync,
            "dist_sync_device": stores.DistSyncDevice,
            "horovod": stores.Horovod,
        }
    }
