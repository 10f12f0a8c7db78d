"""Metrics for predicted classes: `Accuracy`, `TopKAccuracy`, `F1`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.integers import as_integer
from .base import PairMetric, alias, check_label_shapes, register

__all__ = ["F1", "Accuracy", "TopKAccuracy"]


@register
@alias("acc")
class Accuracy(PairMetric):
    """Fraction of samples whose predicted class is correct.

    Parameters
    ----------
    axis : int, default 1
        Class axis, if predictions are scores instead of class indices.
    name : str, default "accuracy"
    output_names, label_names : list of str, optional
    ignore_label : int, optional
        Label of elements that are not counted, such as the padding of sequences.

    Examples
    --------
    >>> from opforge import metric, nd
    >>> accuracy = metric.Accuracy()
    >>> accuracy.update([nd.array([0, 1])], [nd.array([[0.3, 0.7], [0.1, 0.9]])])
    >>> accuracy.get()
    ('accuracy', 0.5)
    """

    def __init__(
        self,
        axis: int = 1,
        name: str = "accuracy",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        ignore_label: int | None = None,
    ) -> None:
        ignored = {} if ignore_label is None else {"ignore_label": ignore_label}
        super().__init__(name, output_names, label_names, axis=axis, **ignored)
        self.axis = axis
        self.ignore_label = ignore_label

    def _measure(self, label: Any, pred: Any) -> tuple[float, float]:
        if pred.shape != label.shape:
            pred = pred.argmax(axis=self.axis)
        label, pred = label.astype(np.int32).ravel(), pred.astype(np.int32).ravel()
        check_label_shapes(label, pred)
        if self.ignore_label is not None:
            is_counted = label != self.ignore_label
            label, pred = label[is_counted], pred[is_counted]
        return int((pred == label).sum()), len(pred)


@register
@alias("top_k_accuracy", "top_k_acc")
class TopKAccuracy(PairMetric):
    """Fraction of samples whose class is among the `top_k` best predictions.

    Parameters
    ----------
    top_k : int, default 1
        At least 2; use `Accuracy` for 1.
    name : str, default "top_k_accuracy"
        ``_<top_k>`` is appended.
    output_names, label_names : list of str, optional
    """

    def __init__(
        self,
        top_k: int = 1,
        name: str = "top_k_accuracy",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(f"{name}_{top_k}", output_names, label_names, top_k=top_k)
        self.top_k = as_integer(top_k, "top_k of TopKAccuracy")
        assert self.top_k > 1, "Please use Accuracy if top_k is no more than 1"

    def get_config(self) -> dict[str, Any]:
        """Return the arguments with which `create(**config)` creates an equal metric."""
        return {**super().get_config(), "name": self.name.removesuffix(f"_{self.top_k}")}

    def _measure(self, label: Any, pred: Any) -> tuple[float, float]:
        assert pred.ndim <= 2, f"Predictions should be no more than 2 dims, got {pred.ndim}"
        label = label.astype(np.int32).ravel()
        check_label_shapes(label, pred)
        if pred.ndim == 1:  # class indices
            return int((pred.astype(np.int32) == label).sum()), len(label)
        best = np.argsort(pred, axis=1)[:, -self.top_k :]
        return int((best == label[:, None]).sum()), len(label)


@register
class F1(PairMetric):
    """F1 score of a binary classification: 2 * precision * recall / (precision + recall).

    Parameters
    ----------
    name : str, default "f1"
    output_names, label_names : list of str, optional
    average : {"macro", "micro"}, default "macro"
        Mean of the scores of all updates, or the score over all samples.

    Raises
    ------
    ValueError
        On update: labels have more than two classes, or predictions have no second axis.
    """

    def __init__(
        self,
        name: str = "f1",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        average: str = "macro",
    ) -> None:
        self.average = average
        super().__init__(name, output_names, label_names, average=average)

    def reset_local(self) -> None:
        """Reset all statistics except the global ones."""
        super().reset_local()
        self._counts = np.zeros(3)  # true positives, false positives, false negatives

    def reset(self) -> None:
        """Reset all statistics."""
        super().reset()
        self._global_counts = np.zeros(3)

    def update(self, labels: Any, preds: Any) -> None:
        """Update with the labels and predictions of a batch.

        Parameters
        ----------
        labels, preds : NDArray or list of NDArray
        """
        before = self.sum_metric, self.num_inst, self.global_sum_metric, self.global_num_inst
        counts = self._counts.copy()
        super().update(labels, preds)
        if self.average == "macro":  # one score for the whole update
            score = _f1(self._counts - counts)
            self.sum_metric, self.num_inst = before[0] + score, before[1] + 1
            self.global_sum_metric, self.global_num_inst = before[2] + score, before[3] + 1
        else:
            self.sum_metric = _f1(self._counts) * self.num_inst
            self.global_sum_metric = _f1(self._global_counts) * self.global_num_inst

    def _measure(self, label: Any, pred: Any) -> tuple[float, float]:
        if pred.ndim != 2:
            raise ValueError(f"F1 needs scores of shape (batch, 2), got {pred.shape}")
        label, pred = label.astype(np.int32).ravel(), pred.argmax(axis=1)
        check_label_shapes(label, pred)
        if len(np.unique(label)) > 2:
            raise ValueError("F1 currently only supports binary classification.")
        actual, predicted = label == 1, pred == 1
        hits, false_alarms = (actual & predicted).sum(), (~actual & predicted).sum()
        counts = np.array([hits, false_alarms, (actual & ~predicted).sum()])
        self._counts += counts
        self._global_counts += counts
        return 0.0, len(label)


def _f1(counts: Any) -> float:
    hits, false_alarms, misses = (float(count) for count in counts)
    precision = hits / (hits + false_alarms) if hits + false_alarms else 0.0
    recall = hits / (hits + misses) if hits + misses else 0.0
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0
