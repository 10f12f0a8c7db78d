"""`MCC` and `PCC`: correlation of actual and predicted classes."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from opforge.plugin_api import EvalMetric, metric

from .values import class_indices, pairs

__all__ = ["MCC", "PCC"]


class _ClassCorrelation(EvalMetric):
    """Base class of metrics that count samples by predicted and actual class."""

    def reset_local(self) -> None:
        """Reset all statistics except the global ones."""
        super().reset_local()
        self._counts = np.zeros((2, 2), np.int64)

    def reset(self) -> None:
        """Reset all statistics."""
        super().reset()
        self._global_counts = np.zeros((2, 2), np.int64)


class MCC(_ClassCorrelation):
    """Matthews correlation coefficient of a binary classification.

    1 is a perfect prediction, 0 is no better than chance, -1 is always wrong. Factors of the
    denominator that are 0 count as 1, so that a batch with a single class gives 0.

    Parameters
    ----------
    name : str, default "mcc"
    output_names, label_names : list of str, optional
    average : {"macro", "micro"}, default "macro"
        Mean of the coefficients of all updates, or the coefficient of all samples.

    Examples
    --------
    >>> from opforge import metric, nd
    >>> mcc = metric.MCC()
    >>> mcc.update(nd.array([0, 0, 1, 1]), nd.array([[1, 0], [0, 1], [0, 1], [0, 1]]))
    >>> round(mcc.get()[1], 4)
    0.5774
    """

    _has_global_stats = True

    def __init__(
        self,
        name: str = "mcc",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        average: str = "macro",
    ) -> None:
        self._average = average
        super().__init__(name, output_names, label_names, average=average)

    def update(self, labels: Any, preds: Any) -> None:
        """Update with the labels and predictions of a batch.

        Parameters
        ----------
        labels, preds : NDArray or list of NDArray
            Classes 0 and 1; scores of shape ``(batch, 2)``.

        Raises
        ------
        ValueError
            There are more than two classes, or the shapes do not fit.
        """
        counts = np.zeros((2, 2), np.int64)
        for label, pred in pairs(labels, preds):
            if pred.ndim != 2:
                raise ValueError(f"MCC needs scores of shape (batch, 2), got {pred.shape}")
            actual, predicted = label.astype(np.int32).ravel(), pred.argmax(axis=1)
            metric.check_label_shapes(actual, predicted)
            if len(np.unique(actual)) > 2:
                raise ValueError(
                    "MCC currently only supports binary classification; PCC has more classes"
                )
            np.add.at(counts, ((predicted == 1).astype(int), (actual == 1).astype(int)), 1)
        if self._average == "macro":
            self._add(_matthews(counts), 1)
            return
        self._counts += counts
        self._global_counts += counts
        self.num_inst = int(self._counts.sum())
        self.global_num_inst = int(self._global_counts.sum())
        self.sum_metric = _matthews(self._counts) * self.num_inst
        self.global_sum_metric = _matthews(self._global_counts) * self.global_num_inst


class PCC(_ClassCorrelation):
    """Pearson correlation coefficient of actual and predicted classes, of any number.

    For two classes it is the Matthews correlation coefficient of all samples. 1 is a perfect
    prediction; nan means that all samples, or all predictions, have the same class.

    Parameters
    ----------
    name : str, default "pcc"
    output_names, label_names : list of str, optional
    has_global_stats : bool, default True
        Whether `get_global` counts from `reset` instead of `reset_local`.

    Examples
    --------
    >>> from opforge import metric, nd
    >>> pcc = metric.PCC()
    >>> pcc.update(nd.array([0, 1, 2, 2]), nd.array([0, 1, 2, 1]))
    >>> round(pcc.get()[1], 4)
    0.7
    """

    def __init__(
        self,
        name: str = "pcc",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        has_global_stats: bool = True,
    ) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=has_global_stats)

    def update(self, labels: Any, preds: Any) -> None:
        """Update with the labels and predictions of a batch.

        Parameters
        ----------
        labels, preds : NDArray or list of NDArray
            Class indices; predictions may be scores of shape ``(batch, n_classes)`` instead.

        Raises
        ------
        ValueError
            The shapes do not fit, or labels are not class indices.
        """
        for label, pred in pairs(labels, preds):
            if pred.shape != label.shape:
                pred = pred.argmax(axis=1)
            actual, predicted = class_indices(label, "labels"), class_indices(pred, "predictions")
            metric.check_label_shapes(actual, predicted)
            n_classes = 1 + max(actual.max(initial=0), predicted.max(initial=0))
            counts = np.zeros((n_classes, n_classes), np.int64)
            np.add.at(counts, (predicted, actual), 1)
            self._counts = _sum(self._counts, counts)
            self._global_counts = _sum(self._global_counts, counts)
        self.num_inst += 1
        self.global_num_inst += 1
        self.sum_metric = _pearson(self._counts) * self.num_inst
        self.global_sum_metric = _pearson(self._global_counts) * self.global_num_inst


def _matthews(counts: Any) -> float:
    """Return the coefficient of counts by predicted and actual class."""
    (true_negative, false_negative), (false_positive, true_positive) = counts.astype(float).tolist()
    sums = [*counts.sum(axis=0).tolist(), *counts.sum(axis=1).tolist()]
    difference = true_positive * true_negative - false_positive * false_negative
    return float(difference / math.sqrt(math.prod(n for n in sums if n)))


def _pearson(counts: Any) -> float:
    """Return the coefficient of counts by predicted and actual class."""
    total, predicted, actual = counts.sum(), counts.sum(axis=1), counts.sum(axis=0)
    variances = [int((n * (total - n)).sum()) for n in (predicted, actual)]
    if 0 in variances:
        return float("nan")
    covariance = (counts.diagonal() * total - predicted * actual).sum()
    return float(covariance / math.sqrt(math.prod(variances)))


def _sum(first: Any, second: Any) -> Any:
    """Return the sum of two square matrices, the smaller one padded with zeros."""
    size = max(len(first), len(second))
    total = np.zeros((size, size), np.int64)
    for counts in (first, second):
        total[: len(counts), : len(counts)] += counts
    return total
