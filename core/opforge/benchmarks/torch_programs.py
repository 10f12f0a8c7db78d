"""The work of `opforge_programs`, written as a user of PyTorch writes it."""

import timeit
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import nn

from .programs import CLASSES, Names, chain, labels, twelve_operators, twenty_operators

__all__ = ["PROGRAMS"]


def _sum_and_backward(names: Mapping[str, Any]) -> Names:
    x = names["x"]

    def sum_and_backward() -> None:
        x.grad = None
        (x * 2 + 1).sum().backward()

    return {"sum_and_backward": sum_and_backward}


class Sigmoid(torch.autograd.Function):
    """The sigmoid, with NumPy both ways."""

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


def _perceptron(names: Mapping[str, Any], compiled: bool = False) -> Names:
    x, batch = names["x"], names["batch"]
    torch.manual_seed(0)
    hidden = [nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU()]
    net = nn.Sequential(*hidden, nn.Linear(64, CLASSES))
    run = torch.compile(net) if compiled else net
    descent = torch.optim.SGD(net.parameters(), lr=0.1)
    target = torch.from_numpy(labels(batch))

    def train() -> None:
        descent.zero_grad(set_to_none=True)
        nn.functional.cross_entropy(run(x), target).backward()
        descent.step()

    def infer() -> Any:
        with torch.inference_mode():
            return run(x)

    return {"train": train, "infer": infer}


def _faster(first: Names, second: Names) -> Names:
    """Return of two programs the one that takes less time, function by function."""
    chosen = {}
    for name in first:
        times = [min(timeit.repeat(names[name], number=5, repeat=10)) for names in (first, second)]
        chosen[name] = first[name] if times[0] <= times[1] else second[name]
    return chosen


def _better_perceptron(names: Mapping[str, Any]) -> Names:
    return _faster(_perceptron(names), _perceptron(names, compiled=True))


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


PROGRAMS: dict[str, Callable[[Mapping[str, Any]], Names]] = {
    "chain": chain,
    "compiled_chain": _compiled_chain,
    "compiled_perceptron": _better_perceptron,
    "custom_in_the_middle": _custom_in_the_middle,
    "numpy_custom_op": _numpy_custom_op,
    "perceptron": _perceptron,
    "sum_and_backward": _sum_and_backward,
}
