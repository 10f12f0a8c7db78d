"""Queries of GPUs; this build uses none."""

from typing import NoReturn

from opforge.base.context import Context, num_gpus
from opforge.base.errors import ContextError

__all__ = [
    "get_cuda_compute_capability",
    "get_gpu_count",
    "get_gpu_memory",
    "gpu_memory_info",
]


def get_gpu_count() -> int:
    """Return the number of usable GPUs."""
    return num_gpus()


def get_gpu_memory(gpu_dev_id: int) -> NoReturn:
    """Raise ContextError, because no GPU is usable."""
    raise ContextError(
        f"get_gpu_memory: there is no gpu({gpu_dev_id}), because opforge computes on the CPU. "
        "Call get_gpu_count() first"
    )


def gpu_memory_info(device_id: int = 0) -> NoReturn:
    """Raise ContextError, because no GPU is usable."""
    get_gpu_memory(device_id)


def get_cuda_compute_capability(ctx: Context) -> NoReturn:
    """Raise an error, because a CPU has no CUDA version and no GPU is usable.

    Raises
    ------
    ValueError
        `ctx` is not a GPU.
    ContextError
        `ctx` is a GPU.
    """
    if ctx.device_type != "gpu":
        raise ValueError(f"get_cuda_compute_capability: expected a gpu context, got {ctx}")
    raise ContextError(
        f"get_cuda_compute_capability: there is no {ctx}, because opforge computes on the CPU"
    )
