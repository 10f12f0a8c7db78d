"""The networks of `opforge_networks` in idiomatic PyTorch code."""

import copy
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import nn

from .programs import CLASSES, RESIDUALS, Names, labels

__all__ = ["PROGRAMS", "faster"]

#: Seconds to time each of two programs in order to select the faster one.
_TRIED = 0.3


def _perceptron() -> nn.Module:
    hidden = [nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU()]
    return nn.Sequential(*hidden, nn.Linear(64, CLASSES))


def _lenet() -> nn.Module:
    layers: list[nn.Module] = []
    for channels, filters in ((1, 20), (20, 50)):
        layers += [nn.Conv2d(channels, filters, 5), nn.ReLU(), nn.MaxPool2d(2)]
    dense = [nn.Linear(800, 500), nn.ReLU(), nn.Linear(500, CLASSES)]
    return nn.Sequential(*layers, nn.Flatten(), *dense)


def _conv_batch_norm(
    channels: int, filters: int, kernel: int, stride: int, pad: int
) -> list[nn.Module]:
    """Return a convolution followed by batch normalization."""
    return [
        nn.Conv2d(channels, filters, kernel, stride, pad, bias=False),
        nn.BatchNorm2d(filters),
    ]


class _Residual(nn.Module):
    """Residual block of two convolutions and a shortcut."""

    def __init__(self, channels: int, filters: int, stride: int) -> None:
        super().__init__()
        first, second = (
            _conv_batch_norm(channels, filters, 3, stride, 1),
            _conv_batch_norm(filters, filters, 3, 1, 1),
        )
        self.body = nn.Sequential(*first, nn.ReLU(), *second)
        shortcut = [] if stride == 1 else _conv_batch_norm(channels, filters, 1, stride, 0)
        self.shortcut = nn.Sequential(*shortcut)

    def forward(self, x: Any) -> Any:
        return nn.functional.relu(self.body(x) + self.shortcut(x))


def _resnet(is_large: bool) -> nn.Module:
    """Return ResNet-18; its first layers downsample large images."""
    layers = [*_conv_batch_norm(3, 64, *((7, 2, 3) if is_large else (3, 1, 1))), nn.ReLU()]
    if is_large:
        layers.append(nn.MaxPool2d(3, 2, 1))
    channels = 64
    for filters, stride in RESIDUALS:
        layers.append(_Residual(channels, filters, stride))
        channels = filters
    return nn.Sequential(
        *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, CLASSES)
    )


def _training_and_inference(net: nn.Module, descent: Any, x: Any, compiled: bool) -> Names:
    """Return a training step and an inference call."""
    still = copy.deepcopy(net).eval()
    run, predict = (torch.compile(net), torch.compile(still)) if compiled else (net, still)
    target = torch.from_numpy(labels(len(x)))

    def train() -> None:
        descent.zero_grad(set_to_none=True)
        nn.functional.cross_entropy(run(x), target).backward()
        descent.step()

    def infer() -> Any:
        with torch.inference_mode():
            return predict(x)

    return {"train": train, "infer": infer}


def _network_program(name: str, x: Any, compiled: bool = False) -> Names:
    """Return the program of a network."""
    torch.manual_seed(0)
    if name == "perceptron":
        net = _perceptron()
        return _training_and_inference(net, torch.optim.SGD(net.parameters(), lr=0.1), x, compiled)
    net = _lenet() if name == "lenet" else _resnet(is_large=x.shape[2] > 32)
    descent = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    return _training_and_inference(net, descent, x, compiled)


def _least(run: Callable[[], Any]) -> float:
    """Return the shortest time of several calls, or of a single one if it is slow."""
    run()  # the first call may compile
    times: list[float] = []
    end = time.perf_counter() + _TRIED
    while not times or time.perf_counter() < end:
        began = time.perf_counter()
        run()
        times.append(time.perf_counter() - began)
    return min(times)


def faster(first: Callable[[], Any], second: Callable[[], Any]) -> Callable[[], Any]:
    """Return a function that selects the faster of two when it is first called."""
    chosen: list[Callable[[], Any]] = []

    def run() -> Any:
        if not chosen:
            chosen.append(min((first, second), key=_least))
        return chosen[0]()

    return run


def _better(name: str, x: Any) -> Names:
    """Return the faster version of each program, eager or compiled."""
    eager, compiled = (_network_program(name, x, is_compiled) for is_compiled in (False, True))
    return {key: faster(eager[key], compiled[key]) for key in eager}


def _of(make: Callable[[str, Any], Names], name: str, names: Mapping[str, Any]) -> Names:
    return make(name, names["x"])


PROGRAMS: dict[str, Callable[[Mapping[str, Any]], Names]] = {}
for _name in ("lenet", "perceptron", "resnet"):
    PROGRAMS[_name] = partial(_of, _network_program, _name)
    PROGRAMS[f"compiled_{_name}"] = partial(_of, _better, _name)
