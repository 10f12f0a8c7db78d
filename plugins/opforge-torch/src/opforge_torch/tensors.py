"""Tensors of PyTorch and arrays of opforge that share memory by DLPack."""

from typing import Any

import torch

from opforge.plugin_api import F

from .errors import TorchError

__all__ = ["array_of", "tensor_of"]


def array_of(tensor: torch.Tensor) -> Any:
    """Return a tensor as an array; one that is not contiguous is copied."""
    if tensor.device.type != "cpu":
        raise TorchError(
            f"a tensor is on {tensor.device}, and opforge computes on the CPU; pass tensor.cpu()"
        )
    found = tensor.detach()
    return F.from_dlpack((found if found.ndim else found.reshape(1)).contiguous())


def tensor_of(array: Any) -> torch.Tensor:
    """Return an array as a tensor, once the array is computed."""
    return torch.from_dlpack(array)
