"""Networks whose training on several ranks is measured; `torch_networks` has the same ones.

Run by mpiexec: ``python -m opforge_mpi.benchmarks.networks NAME ROUNDS [meeting] FILE``; rank 0
writes the seconds per step of each round. With ``meeting`` each rank trains on its own, and all
wait for each other after each step: the cost of synchronization without any exchange of data.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from opforge.plugin_api import F, HybridBlock, Trainer, autograd, initializer, nn

from ..collectives.arrays import barrier
from ..collectives.session import world
from ..training.trainer import DistributedTrainer
from . import sizes

__all__ = ["Learner", "build"]


class Learner:
    """Network with a batch of samples, and its training step.

    Parameters
    ----------
    net : HybridBlock
    x, y : NDArray
        The samples, and their classes.
    """

    def __init__(self, net: Any, x: Any, y: Any) -> None:
        self._loss = _Loss(net)
        self._loss.initialize(initializer.Xavier())
        self._loss.hybridize(static_alloc=True, static_shape=True)
        self._x, self._y = x, y
        self._loss(x, y)
        self.params = list(self._loss.collect_params().values())

    def backward(self) -> None:
        """Compute the gradients."""
        with autograd.record():
            loss = self._loss(self._x, self._y)
        loss.backward()

    def steps(self, rounds: int, count: int, exchanges: bool = True) -> list[float]:
        """Return the mean seconds per training step of each round.

        Parameters
        ----------
        rounds, count : int
            Number of rounds, and of steps in each.
        exchanges : bool
            Train together; otherwise the ranks only wait for each other.
        """
        rate = {"learning_rate": 1e-3, "momentum": 0.9}
        train = DistributedTrainer if exchanges else Trainer
        trainer = train(self.params, "sgd", rate)
        batch = self._y.size
        times = []
        for _ in range(rounds + 1):
            start = time.perf_counter()
            for _ in range(count):
                self.backward()
                trainer.step(batch)
                if not exchanges:
                    barrier()
            times.append((time.perf_counter() - start) / count)
        return times[1:]  # the first round arranges the gradients


class _Loss(HybridBlock):
    """Cross entropy of each sample."""

    def __init__(self, net: Any) -> None:
        super().__init__()
        with self.name_scope():
            self.net = net

    def hybrid_forward(self, F: Any, x: Any, y: Any) -> Any:
        return -F.pick(F.log_softmax(self.net(x), axis=-1), y, axis=-1)


def build(name: str) -> Learner:
    """Return the network with this name, with its batch."""
    return _NETWORKS[name]()


def _perceptron() -> Learner:
    pixels, *hidden, classes = sizes.PERCEPTRON
    net = nn.HybridSequential()
    net.add(*(nn.Dense(width, activation="relu") for width in hidden), nn.Dense(classes))
    return Learner(net, _pixels(sizes.SAMPLES, pixels), _classes(classes, sizes.SAMPLES))


class _Residual(HybridBlock):
    """Two convolutions with a shortcut connection."""

    def __init__(self, channels: int, stride: int, grows: bool) -> None:
        super().__init__()
        with self.name_scope():
            self.body = nn.HybridSequential()
            self.body.add(*_conv_batch_norm(channels, 3, stride, 1), nn.Activation("relu"))
            self.body.add(*_conv_batch_norm(channels, 3, 1, 1))
            self.shortcut = nn.HybridSequential()
            if grows:
                self.shortcut.add(*_conv_batch_norm(channels, 1, stride, 0))

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.relu(self.body(x) + self.shortcut(x))


def _conv_batch_norm(channels: int, kernel: int, stride: int, pad: int) -> tuple[Any, Any]:
    return nn.Conv2D(channels, kernel, stride, pad, use_bias=False), nn.BatchNorm()


def _resnet() -> Learner:
    net = nn.HybridSequential()
    net.add(*_conv_batch_norm(sizes.RESIDUALS[0][0], 3, 1, 1), nn.Activation("relu"))
    for channels, stride in sizes.RESIDUALS:
        net.add(_Residual(channels, stride, stride > 1))
    net.add(nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(sizes.CLASSES))
    images = _pixels(sizes.IMAGES, 3, 32, 32)
    return Learner(net, images, _classes(sizes.CLASSES, sizes.IMAGES))


class _Language(HybridBlock):
    """Language model: words to scores of the next words."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.embedding = nn.Embedding(sizes.WORDS, sizes.UNITS)
            self.lstm = nn.LSTM(sizes.UNITS, 2, input_size=sizes.UNITS)
            self.words = nn.Dense(sizes.WORDS, flatten=False, in_units=sizes.UNITS)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.words(self.lstm(self.embedding(x)))


def _language_model() -> Learner:
    shape = (sizes.STEPS, sizes.SENTENCES)
    return Learner(_Language(), _classes(sizes.WORDS, *shape), _classes(sizes.WORDS, *shape))


def _pixels(*shape: int) -> Any:
    return F.array(np.random.default_rng(0).random(shape, np.float32))


def _classes(count: int, *shape: int) -> Any:
    return F.array(np.random.default_rng(1).integers(0, count, shape), dtype="int32")


_NETWORKS = {"perceptron": _perceptron, "resnet": _resnet, "language_model": _language_model}


def main() -> None:
    """Train, and write the times measured by rank 0."""
    _, name, rounds, *mode, path = sys.argv
    times = build(name).steps(int(rounds), sizes.STEPS_OF[name], exchanges="meeting" not in mode)
    if world().rank == 0:
        Path(path).write_text(json.dumps(times))


if __name__ == "__main__":
    main()
