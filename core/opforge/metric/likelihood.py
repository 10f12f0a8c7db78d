"""Metrics for predicted probabilities, and `Loss`, the mean of a loss."""

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ndarray import NDArray
from .base import EvalMetric, PairMetric, alias, as_numpy, register

__all__ = ["CrossEntropy", "Loss", "NegativeLogLikelihood", "Perplexity"]


@register
@alias("ce")
class CrossEntropy(PairMetric):
    """Mean of ``-log(probability of the label's class + eps)``.

    Parameters
    ----------
    eps : float, default 1e-12
    name : str, default "cross-entropy"
    output_names, label_names : list of str, optional
    """

    def __init__(
        self,
        eps: float = 1e-12,
        name: str = "cross-entropy",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names, eps=eps)
        self.eps = eps

    def _measure(self, label: Any, pred: Any) -> tuple[float, float]:
        label = label.ravel()
        assert label.shape[0] == pred.shape[0], (
            f"{label.shape[0]} labels do not match predictions of shape {pred.shape}"
        )
        probabilities = pred[np.arange(len(label)), label.astype(np.int64)]
        return float(-np.log(probabilities + self.eps).sum()), len(label)


@register
@alias("nll_loss")
class NegativeLogLikelihood(CrossEntropy):
    """`CrossEntropy` with another default name.

    Parameters
    ----------
    eps : float, default 1e-12
    name : str, default "nll-loss"
    output_names, label_names : list of str, optional
    """

    def __init__(
        self,
        eps: float = 1e-12,
        name: str = "nll-loss",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(eps, name, output_names, label_names)


@register
class Perplexity(PairMetric):
    """exp of the mean of ``-log(probability of the label's class)``.

    Parameters
    ----------
    ignore_label : int or None
        Samples with this label are not counted.
    axis : int, default -1
        Class axis.
    name : str, default "perplexity"
    output_names, label_names : list of str, optional
    """

    def __init__(
        self,
        ignore_label: int | None = None,
        axis: int = -1,
        name: str = "perplexity",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names, ignore_label=ignore_label, axis=axis)
        self.ignore_label = ignore_label
        self.axis = axis

    def _measure(self, label: Any, pred: Any) -> tuple[float, float]:
        scores = np.moveaxis(pred, self.axis, -1)
        label = label.astype(np.int64).ravel()
        assert label.size * scores.shape[-1] == pred.size, (
            f"shape mismatch: {label.size} labels vs. predictions of shape {pred.shape}"
        )
        counted = (
            np.ones(len(label), bool) if self.ignore_label is None else (label != self.ignore_label)
        )
        classes = scores.shape[-1]
        nearest = np.clip(label, 0, classes - 1)
        wrong = label[counted & (label != nearest)]
        if wrong.size:
            warnings.warn(
                f"{self.name}: label {wrong[0]} is not one of the {classes} classes and is "
                "replaced by the nearest one; correct the labels, or pass it as ignore_label",
                stacklevel=4,
            )
        probabilities = scores.reshape(label.size, -1)[np.arange(label.size), nearest]
        losses = -np.log(np.maximum(1e-10, probabilities[counted]))
        return float(losses.sum()), int(counted.sum())

    def _value(self, total: float, count: float) -> float:
        return math.exp(total / count)


@register
class Loss(EvalMetric):
    """Mean of a loss; the predictions are outputs of a loss block.

    Parameters
    ----------
    name : str, default "loss"
    output_names, label_names : list of str, optional
    """

    _has_global_stats = True

    def __init__(
        self,
        name: str = "loss",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names)

    def update(self, labels: Any, preds: Any) -> None:
        """Update with the losses `preds`, an NDArray or a list; `labels` is ignored."""
        for pred in [preds] if isinstance(preds, NDArray) else preds:
            values = as_numpy(pred)
            self._add(float(values.sum()), values.size)
