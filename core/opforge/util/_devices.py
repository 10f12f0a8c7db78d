"""GPUs, of which this build uses none."""

from typing import NoReturn

from ..base.context import Context, num_gpus
from ..base.errors import ContextError

__all__ = ["get_cuda_compute_capability", "get_gpu_count", "get_gpu_memory"]


def get_gpu_count() -> int:
    """Return the number of usable GPUs."""
    return num_gpus()


def get_gpu_memory(gpu_dev_id: int) -> NoReturn:
    """Raise ContextError: there is no usable GPU that has memory."""
    raise ContextError(
        f"get_gpu_memory: there is no gpu({gpu_dev_id}); opforge computes on the CPU. Ask "
        "get_gpu_count() first"
    )


def get_cuda_compute_capability(ctx: Context) -> NoReturn:
    """Raise an error: a CPU has no CUDA version, and there is no usable GPU.

    Raises
    ------
    ValueError
        `ctx` is no GPU.
    ContextError
        `ctx` is one.
    """
    if ctx.device_type != "gpu":
        raise ValueError(f"get_cuda_compute_capability: expected a gpu context, got {ctx}")
    raise ContextError(
        f"get_cuda_compute_capability: there is no {ctx}; opforge computes on the CPU"
    )
