"""Data-parallel training on MPI.

A plugin of opforge. Neither MPI nor the rest of opforge is imported before something is used.
"""

import importlib
from typing import TYPE_CHECKING, Any

from opforge.plugin_api import hookimpl

if TYPE_CHECKING:
    from .arrays import allgather as allgather
    from .arrays import allreduce as allreduce
    from .arrays import allreduce_ as allreduce_
    from .arrays import barrier as barrier
    from .arrays import broadcast as broadcast
    from .arrays import broadcast_ as broadcast_
    from .arrays import broadcast_parameters as broadcast_parameters
    from .checkpoints import CheckpointManager as CheckpointManager
    from .errors import DistributedError as DistributedError
    from .metrics import metric_of_all as metric_of_all
    from .objects import allgather_object as allgather_object
    from .objects import broadcast_object as broadcast_object
    from .optimizer import DistributedOptimizer as DistributedOptimizer
    from .running import init as init
    from .running import is_initialized as is_initialized
    from .running import local_rank as local_rank
    from .running import local_size as local_size
    from .running import rank as rank
    from .running import shutdown as shutdown
    from .running import size as size
    from .sampling import split_sampler as split_sampler
    from .trainer import DistributedTrainer as DistributedTrainer

_HOMES = {
    "arrays": (
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
    "objects": ("allgather_object", "broadcast_object"),
    "optimizer": ("DistributedOptimizer",),
    "running": ("init", "is_initialized", "local_rank", "local_size", "rank", "shutdown", "size"),
    "sampling": ("split_sampler",),
    "trainer": ("DistributedTrainer",),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}
__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value = getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
    return value


@hookimpl
def opforge_things() -> Any:
    """Hand over the stores."""
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
