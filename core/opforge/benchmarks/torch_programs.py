"""The work of `opforge_programs`, written as a user of PyTorch writes it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import nn

from .programs import CLASSES, Names, chain, labels

__all__ = ["PROGRAMS"]


def _sum_and_backward(names: Mapping[str, Any]) -> Names:
    x = names["x"]

    def sum_and_backward() -> None:
        x.grad = None
        (x * 2 + 1).sum().backward()

    return {"sum_and_backward": sum_and_backward}


def _numpy_custom_op(names: Mapping[str, Any]) -> Names:
    x, head = names["x"], names["head"]

    class Sigmoid(torch.autograd.Function):
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

    def forward() -> Any:
        with torch.no_grad():
            return Sigmoid.apply(x)

    def forward_and_backward() -> None:
        x.grad = None
        Sigmoid.apply(x).backward(head)

    return {"forward": forward, "forward_and_backward": forward_and_backward}


def _perceptron(names: Mapping[str, Any]) -> Names:
    x, batch = names["x"], names["batch"]
    torch.manual_seed(0)
    hidden = [nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU()]
    net = nn.Sequential(*hidden, nn.Linear(64, CLASSES))
    descent = torch.optim.SGD(net.parameters(), lr=0.1)
    target = torch.from_numpy(labels(batch))

    def train() -> None:
        descent.zero_grad(set_to_none=True)
        nn.functional.cross_entropy(net(x), target).backward()
        descent.step()

    def infer() -> Any:
        with torch.inference_mode():
            return net(x)

    return {"train": train, "infer": infer}


PROGRAMS = {
    "chain": chain,
    "numpy_custom_op": _numpy_custom_op,
    "perceptron": _perceptron,
    "sum_and_backward": _sum_and_backward,
}
