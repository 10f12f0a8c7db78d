"""Parts of a training: batches, weighted losses, early stopping, handlers, random numbers."""

import copy
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from opforge.plugin_api import F, autograd, checkpoint, data
from opforge.plugin_api import gluon as _gluon

__all__ = ["BestParameters", "WeightedBatchProcessor", "loader", "own_handlers", "seeded"]

_estimator: Any = _gluon.contrib.estimator


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed opforge's random numbers in a ``with`` block, and restore their state after it."""
    before = checkpoint.get_random_state()["opforge"]
    F.random.seed(seed)
    try:
        yield
    finally:
        checkpoint.set_random_state({**checkpoint.get_random_state(), "opforge": before})


def loader(
    arrays: Sequence[np.ndarray], batch_size: int, random: np.random.RandomState | None = None
) -> Any:
    """Return a `DataLoader` of arrays of the same length, shuffled by `random` if given."""
    dataset = data.ArrayDataset(*arrays)
    sampler = None if random is None else _ShuffledSampler(len(dataset), random)
    return data.DataLoader(dataset, batch_size, sampler=sampler)


class _ShuffledSampler(data.Sampler):
    """Indices in a new order in each iteration, drawn by a generator of NumPy."""

    def __init__(self, length: int, random: np.random.RandomState) -> None:
        self._length = length
        self._random = random

    def __iter__(self) -> Iterator[int]:
        return iter(self._random.permutation(self._length).tolist())

    def __len__(self) -> int:
        return self._length


class WeightedBatchProcessor(_estimator.BatchProcessor):
    """Processor of batches of data, labels and, optionally, weights of the samples.

    The loss of each sample is multiplied by its weight.
    """

    def fit_batch(
        self, estimator: Any, train_batch: Any, batch_axis: int = 0
    ) -> tuple[Any, Any, Any, Any]:
        """Compute the gradients for a training batch; return data, labels, outputs and losses."""
        parts = _split(estimator, train_batch, batch_axis)
        with autograd.record():
            pred, loss = _outputs_and_losses(estimator.net, estimator.loss, parts)
        for part in loss:
            part.backward()
        return parts[0], parts[1], pred, loss

    def evaluate_batch(
        self, estimator: Any, val_batch: Any, batch_axis: int = 0
    ) -> tuple[Any, Any, Any, Any]:
        """Evaluate a validation batch; return data, labels, outputs and losses."""
        parts = _split(estimator, val_batch, batch_axis)
        pred, loss = _outputs_and_losses(estimator.val_net, estimator.val_loss, parts)
        return parts[0], parts[1], pred, loss


def _split(estimator: Any, batch: Any, batch_axis: int) -> list[Any]:
    """Return data, labels and possibly weights as lists with an entry for each context."""
    return [
        _gluon.utils.split_and_load(
            part, ctx_list=estimator.context, batch_axis=batch_axis, even_split=False
        )
        for part in batch
    ]


def _outputs_and_losses(net: Any, loss: Any, parts: list[Any]) -> tuple[list[Any], list[Any]]:
    data, label, *weights = parts
    pred = [net(x) for x in data]
    losses = [loss(y_hat, y) for y_hat, y in zip(pred, label, strict=True)]
    if weights:
        losses = [value * weight for value, weight in zip(losses, weights[0], strict=True)]
    return pred, losses


class BestParameters(_estimator.TrainBegin, _estimator.EpochEnd, _estimator.TrainEnd):
    """Handler that keeps the parameters of the epoch with the lowest value of a metric.

    Parameters
    ----------
    monitor : EvalMetric
        One of the Estimator's metrics.
    """

    def __init__(self, monitor: Any) -> None:
        self.monitor = monitor

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Forget the parameters of an earlier training."""
        self._best = math.inf
        self._values: list[tuple[Any, Any]] = []

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Store the parameters if the metric improved."""
        _, value = self.monitor.get()
        if value < self._best:
            self._best = value
            params = estimator.net.collect_params().values()
            self._values = [(param, param.list_data()[0].copy()) for param in params]
        return False

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Set the parameters to those of the best epoch."""
        for param, value in self._values:
            param.set_data(value)


def own_handlers(given: Any, estimator: Any) -> list[Any]:
    """Return copies of the user's handlers, and those that callables make for the Estimator."""
    handlers = [given] if isinstance(given, _estimator.EventHandler) else list(given or ())
    return [
        copy.deepcopy(handler)
        if isinstance(handler, _estimator.EventHandler)
        else handler(estimator)
        for handler in handlers
    ]
