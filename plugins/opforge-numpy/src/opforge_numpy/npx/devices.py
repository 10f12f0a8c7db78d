"""Queries of GPUs."""

from typing import NoReturn

from opforge.plugin_api import OpforgeError

__all__ = ["gpu_memory_info"]


def gpu_memory_info(device_id: int = 0) -> NoReturn:
    """Raise an error, because opforge computes on the CPU."""
    raise OpforgeError(
        f"npx.gpu_memory_info: there is no gpu({device_id}), because opforge computes on the CPU. "
        "Call npx.num_gpus() first"
    )
