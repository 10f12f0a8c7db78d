"""The networks of `networks`, trained by PyTorch's DistributedDataParallel over gloo.

A standalone program for a Python environment with PyTorch that may lack opforge:
``mpiexec -n RANKS python torch_networks.py NAME ROUNDS FILE STORE``; rank 0 writes the seconds per
step of each round to FILE. The ranks connect through the file STORE, which all machines share.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import torch
from torch import distributed, nn

sys.path.extend([str(Path(__file__).parent), str(Path(__file__).parents[1] / "process")])
import sizes  # type: ignore[import-not-found]
from launchers import LAUNCHERS  # type: ignore[import-not-found]

__all__ = ["build"]


class _Residual(nn.Module):
    """Two convolutions with a shortcut connection."""

    def __init__(self, inputs: int, channels: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            *_conv_batch_norm(inputs, channels, 3, stride, 1),
            nn.ReLU(),
            *_conv_batch_norm(channels, channels, 3, 1, 1),
        )
        shortcut = _conv_batch_norm(inputs, channels, 1, stride, 0) if stride > 1 else []
        self.shortcut = nn.Sequential(*shortcut)

    def forward(self, x: Any) -> Any:
        return nn.functional.relu(self.body(x) + self.shortcut(x))


def _conv_batch_norm(
    inputs: int, channels: int, kernel: int, stride: int, pad: int
) -> list[nn.Module]:
    return [
        nn.Conv2d(inputs, channels, kernel, stride, pad, bias=False),
        nn.BatchNorm2d(channels),
    ]


class _Language(nn.Module):
    """Language model: words to scores of the next words."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(sizes.WORDS, sizes.UNITS)
        self.lstm = nn.LSTM(sizes.UNITS, sizes.UNITS, 2)
        self.words = nn.Linear(sizes.UNITS, sizes.WORDS)

    def forward(self, x: Any) -> Any:
        return self.words(self.lstm(self.embedding(x))[0]).flatten(0, 1)


def build(name: str) -> tuple[nn.Module, Any, Any]:
    """Return the network with this name, a batch of samples, and their classes."""
    if name == "perceptron":
        pixels, *_, classes = sizes.PERCEPTRON
        layers: list[nn.Module] = []
        for inputs, width in zip(sizes.PERCEPTRON, sizes.PERCEPTRON[1:], strict=False):
            layers += [nn.Linear(inputs, width), nn.ReLU()]
        x, y = torch.rand(sizes.SAMPLES, pixels), torch.randint(0, classes, (sizes.SAMPLES,))
        return nn.Sequential(*layers[:-1]), x, y
    if name == "resnet":
        inputs = sizes.RESIDUALS[0][0]
        layers = [*_conv_batch_norm(3, inputs, 3, 1, 1), nn.ReLU()]
        for channels, stride in sizes.RESIDUALS:
            layers.append(_Residual(inputs, channels, stride))
            inputs = channels
        layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, sizes.CLASSES)]
        x = torch.rand(sizes.IMAGES, 3, 32, 32)
        return nn.Sequential(*layers), x, torch.randint(0, sizes.CLASSES, (sizes.IMAGES,))
    words = torch.randint(0, sizes.WORDS, (sizes.STEPS, sizes.SENTENCES))
    return _Language(), words, words.flatten()


def train(name: str, rounds: int, path: str, store: str) -> None:
    """Train as one of the ranks that mpiexec has started."""
    launcher = next(names for names in LAUNCHERS if names[0] in os.environ)
    ranks, rank = (int(os.environ[variable]) for variable in launcher)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    net, x, y = build(name)
    if ranks > 1:
        distributed.init_process_group(
            "gloo", init_method=f"file://{store}", rank=rank, world_size=ranks
        )
        parallel = nn.parallel.DistributedDataParallel
        net = parallel(net, static_graph=True, gradient_as_bucket_view=True)
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3, momentum=0.9)
    times = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        for _ in range(sizes.STEPS_OF[name]):
            optimizer.zero_grad(set_to_none=True)
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()
        times.append((time.perf_counter() - start) / sizes.STEPS_OF[name])
    if rank == 0:
        Path(path).write_text(json.dumps(times[1:]))
    if ranks > 1:
        distributed.barrier()
        distributed.destroy_process_group()


if __name__ == "__main__":
    _, network, count, target, meeting = sys.argv
    train(network, int(count), target, meeting)
