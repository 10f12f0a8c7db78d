"""The programs of `opforge_programs` in idiomatic PyTorch code."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from . import torch_networks, torch_sequences
from .programs import Names, chain, twelve_operators, twenty_operators

__all__ = ["PROGRAMS"]


def _sum_and_backward(names: Mapping[str, Any]) -> Names:
    x = names["x"]

    def sum_and_backward() -> None:
        x.grad = None
        (x * 2 + 1).sum().backward()

    return {"sum_and_backward": sum_and_backward}


class Sigmoid(torch.autograd.Function):
    """The sigmoid, with forward and backward in NumPy."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y = torch.from_numpy(1.0 / (1.0 + np.exp(-x.detach().numpy())))
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, dy: Any) -> Any:
        (saved,) = ctx.saved_tensors
        y, dy = saved.numpy(), dy.numpy()
        return torch.from_numpy(dy * (1.0 - y) * y)


def _numpy_custom_op(names: Mapping[str, Any]) -> Names:
    x, head = names["x"], names["head"]

    def forward() -> Any:
        with torch.no_grad():
            return Sigmoid.apply(x)

    def forward_and_backward() -> None:
        x.grad = None
        Sigmoid.apply(x).backward(head)

    return {"forward": forward, "forward_and_backward": forward_and_backward}


def _compiled_chain(names: Mapping[str, Any]) -> Names:
    a = names["a"]
    compiled = torch.compile(lambda a: twelve_operators(torch, a))
    return {"run": lambda: compiled(a)}


def _custom_in_the_middle(names: Mapping[str, Any]) -> Names:
    x = names["x"]
    head = torch.ones_like(x)

    def run() -> None:
        x.grad = None
        twenty_operators(torch, Sigmoid.apply, x).backward(head)

    return {"run": run}


def _both_ways(names: Mapping[str, Any]) -> Names:
    leaves = [x for x in names.values() if isinstance(x, torch.Tensor) and x.requires_grad]
    return {"both": torch_sequences.both_ways(leaves)}


PROGRAMS: dict[str, Callable[[Mapping[str, Any]], Names]] = {
    **torch_networks.PROGRAMS,
    **torch_sequences.PROGRAMS,
    "both_ways": _both_ways,
    "chain": chain,
    "compiled_chain": _compiled_chain,
    "custom_in_the_middle": _custom_in_the_middle,
    "numpy_custom_op": _numpy_custom_op,
    "sum_and_backward": _sum_and_backward,
}
