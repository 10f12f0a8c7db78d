"""`AUC`: the area under the ROC curve or the precision-recall curve."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from opforge.plugin_api import EvalMetric

from .values import class_indices, pairs

__all__ = ["AUC"]


class AUC(EvalMetric):
    """Area under the curve, exactly, from the scores of all samples since the reset.

    Parameters
    ----------
    curve : {"roc", "pr"}, default "roc"
        "roc": probability that a positive sample has a higher score than a negative one, where
        equal scores count one half. "pr": average precision, the mean of the precisions at the
        scores of the positive samples.
    name : str, optional
        Default: "auc" or "average_precision".
    output_names, label_names : list of str, optional

    Notes
    -----
    Scores of several classes, of shape ``(batch, n_classes)``, give the mean over the classes that
    have samples, each against all others. Of two classes, the second one's scores count. Any
    increasing function of the scores gives the same value, so that logits are as good as
    probabilities for two classes. Memory grows with the number of samples.

    Examples
    --------
    >>> from opforge import metric, nd
    >>> auc = metric.AUC()
    >>> auc.update(nd.array([0, 0, 1, 1]), nd.array([0.1, 0.4, 0.35, 0.8]))
    >>> auc.get()
    ('auc', 0.75)
    """

    def __init__(
        self,
        curve: str = "roc",
        name: str | None = None,
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        if curve not in _AREAS:
            raise ValueError(f"AUC: got curve={curve!r}, expected 'roc' or 'pr'")
        self._curve = curve
        name = name or {"roc": "auc", "pr": "average_precision"}[curve]
        super().__init__(name, output_names, label_names, curve=curve)

    def reset_local(self) -> None:
        """Reset all statistics."""
        super().reset_local()
        self._labels: list[Any] = []
        self._scores: list[Any] = []

    def update(self, labels: Any, preds: Any) -> None:
        """Update with the labels and scores of a batch.

        Parameters
        ----------
        labels, preds : NDArray or list of NDArray
            Class indices of shape ``(batch,)`` or ``(batch, 1)``; scores of the same shape for two
            classes, or of shape ``(batch, n_classes)``.

        Raises
        ------
        ValueError
            The shapes do not fit, labels are not indices of classes that have scores, or a score
            is nan.
        """
        for label, pred in pairs(labels, preds):
            self._collect(label, pred)

    def _collect(self, label: Any, scores: Any) -> None:
        scores = scores.reshape(-1, 1) if scores.ndim == 1 else scores
        if scores.ndim != 2 or label.size != len(scores):
            raise ValueError(
                f"AUC: got labels of shape {label.shape} and scores of shape {scores.shape}, "
                "expected (batch,) and (batch,) or (batch, n_classes)"
            )
        indices = class_indices(label, "labels")
        if scores.shape[1] == 2:
            scores = scores[:, 1:]
        n_classes = max(scores.shape[1], 2)
        if len(indices) and indices.max() >= n_classes:
            raise ValueError(f"AUC: got label {indices.max()}, but scores of {n_classes} classes")
        if self._scores and self._scores[0].shape[1] != scores.shape[1]:
            raise ValueError("AUC: the number of classes differs from that of the former batches")
        if np.isnan(scores).any():
            raise ValueError("AUC: a score is nan, so that the samples have no order")
        self._labels.append(indices)
        self._scores.append(np.array(scores, np.float64))
        self.num_inst += len(indices)

    def get(self) -> tuple[Any, Any]:
        """Return name and area; nan as long as all samples have the same class."""
        if self.num_inst == 0:
            return self.name, float("nan")
        labels, scores = np.concatenate(self._labels), np.concatenate(self._scores)
        if scores.shape[1] == 1:
            return self.name, _AREAS[self._curve](labels == 1, scores[:, 0])
        each = [
            _AREAS[self._curve](labels == index, scores[:, index]) for index in np.unique(labels)
        ]
        return self.name, float(np.mean(each))


def _roc_area(positive: Any, scores: Any) -> float:
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    if n_positive == 0 or n_negative == 0:
        return float("nan")
    # Mann and Whitney's statistic, with the mean rank of equal scores.
    _, groups, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    total = float(ranks[groups.ravel()][positive].sum())
    return (total - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative)


def _average_precision(positive: Any, scores: Any) -> float:
    if not positive.any():
        return float("nan")
    order = np.argsort(-scores, kind="stable")
    hits, found = np.cumsum(positive[order]), np.arange(1, len(order) + 1)
    # Equal scores are found together: only the last one of each is a threshold.
    last = np.append(np.diff(scores[order]) != 0, True)
    hits, found = hits[last], found[last]
    gained = np.diff(hits, prepend=0)
    return float((gained * hits / found).sum() / hits[-1])


_AREAS = {"roc": _roc_area, "pr": _average_precision}
