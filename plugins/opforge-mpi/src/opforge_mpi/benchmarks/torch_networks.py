"""The networks of `networks`, trained by PyTorch's DistributedDataParallel over gloo.

A program of its own, for a Python that may have PyTorch and nothing of opforge:
``python torch_networks.py NAME ROUNDS FILE RANKS MEETING``; rank 0 writes the seconds of a step in
each round to FILE. The ranks meet by the file MEETING.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import torch
from torch import distributed, multiprocessing, nn

sys.path.insert(0, str(Path(__file__).parent))
import sizes  # type: ignore[import-not-found]

__all__ = ["made"]


class _Residual(nn.Module):
    """Two convolutions beside a shortcut."""

    def __init__(self, before: int, channels: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            *_normalized(before, channels, 3, stride, 1),
            nn.ReLU(),
            *_normalized(channels, channels, 3, 1, 1),
        )
        shortcut = _normalized(before, channels, 1, stride, 0) if stride > 1 else []
        self.shortcut = nn.Sequential(*shortcut)

    def forward(self, x: Any) -> Any:
        return nn.functional.relu(self.body(x) + self.shortcut(x))


def _normalized(before: int, channels: int, kernel: int, stride: int, pad: int) -> list[nn.Module]:
    return [
        nn.Conv2d(before, channels, kernel, stride, pad, bias=False),
        nn.BatchNorm2d(channels),
    ]


class _Language(nn.Module):
    """Words to the probabilities of those that follow."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(sizes.WORDS, sizes.UNITS)
        self.lstm = nn.LSTM(sizes.UNITS, sizes.UNITS, 2)
        self.words = nn.Linear(sizes.UNITS, sizes.WORDS)

    def forward(self, x: Any) -> Any:
        return self.words(self.lstm(self.embedding(x))[0]).flatten(0, 1)


def made(name: str) -> tuple[nn.Module, Any, Any]:
    """Return the network of this name, a batch of samples, and the class of each."""
    if name == "perceptron":
        pixels, *_, classes = sizes.PERCEPTRON
        layers: list[nn.Module] = []
        for before, width in zip(sizes.PERCEPTRON, sizes.PERCEPTRON[1:], strict=False):
            layers += [nn.Linear(before, width), nn.ReLU()]
        x, y = torch.rand(sizes.SAMPLES, pixels), torch.randint(0, classes, (sizes.SAMPLES,))
        return nn.Sequential(*layers[:-1]), x, y
    if name == "resnet":
        before = sizes.RESIDUALS[0][0]
        layers = [*_normalized(3, before, 3, 1, 1), nn.ReLU()]
        for channels, stride in sizes.RESIDUALS:
            layers.append(_Residual(before, channels, stride))
            before = channels
        layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(before, sizes.CLASSES)]
        x = torch.rand(sizes.PICTURES, 3, 32, 32)
        return nn.Sequential(*layers), x, torch.randint(0, sizes.CLASSES, (sizes.PICTURES,))
    words = torch.randint(0, sizes.WORDS, (sizes.STEPS, sizes.SENTENCES))
    return _Language(), words, words.flatten()


def train(rank: int, name: str, rounds: int, path: str, ranks: int, store: str) -> None:
    """Train as one rank."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    net, x, y = made(name)
    if ranks > 1:
        distributed.init_process_group(
            "gloo", init_method=f"file://{store}", rank=rank, world_size=ranks
        )
        parallel = nn.parallel.DistributedDataParallel
        net = parallel(net, static_graph=True, gradient_as_bucket_view=True)
    descent = torch.optim.SGD(net.parameters(), lr=1e-3, momentum=0.9)
    found = []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        for _ in range(sizes.STEPS_OF[name]):
            descent.zero_grad(set_to_none=True)
            nn.functional.cross_entropy(net(x), y).backward()
            descent.step()
        found.append((time.perf_counter() - began) / sizes.STEPS_OF[name])
    if rank == 0:
        Path(path).write_text(json.dumps(found[1:]))
    if ranks > 1:
        distributed.barrier()
        distributed.destroy_process_group()


if __name__ == "__main__":
    _, network, count, target, size, meeting = sys.argv
    arguments = (network, int(count), target, int(size), meeting)
    multiprocessing.spawn(train, arguments, nprocs=int(size))
