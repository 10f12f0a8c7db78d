"""The metrics of an Estimator: lists of them, those that suit a loss, and a best value.

A metric's name begins with ``training`` or ``validation``: that is how handlers tell them apart.
"""

import copy
import math
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ....metric import Accuracy, CompositeEvalMetric, EvalMetric
from ....metric import Loss as LossMetric
from ...loss import Loss, SoftmaxCrossEntropyLoss

__all__ = [
    "TRAINING",
    "VALIDATION",
    "comparison",
    "expect_known",
    "expect_monitor",
    "metric_list",
    "training_metrics",
    "validation_metrics",
    "worst",
]

TRAINING = "training "
VALIDATION = "validation "
#: What the names of metrics have in them that are the better the greater they are.
_GREATER_IS_BETTER = ("acc", "f1", "mcc", "pcc", "pearson")


def metric_list(metrics: EvalMetric | Sequence[EvalMetric] | None) -> list[EvalMetric]:
    """Return the metrics that a user gave as a list of single ones.

    Raises
    ------
    ValueError
        One of them is no metric.
    """
    if isinstance(metrics, CompositeEvalMetric):
        return [single for inner in metrics.metrics for single in metric_list(inner)]
    given = [metrics] if isinstance(metrics, EvalMetric) else metrics or []
    for metric in given:
        if not isinstance(metric, EvalMetric):
            raise ValueError(
                f"metrics must be a metric.EvalMetric or a list of them, got {metrics!r}; "
                "metric.create makes one of a name"
            )
    return list(given)


def training_metrics(
    metrics: EvalMetric | Sequence[EvalMetric] | None, loss: Loss
) -> list[EvalMetric]:
    """Return the metrics of the training, named so; by default those that suit the loss."""
    found = metric_list(metrics)
    if not found:
        suited: list[EvalMetric] = [Accuracy()] if isinstance(loss, SoftmaxCrossEntropyLoss) else []
        found = [*suited, LossMetric(loss.name.rstrip("0123456789"))]
    for metric in found:
        if not metric.name.startswith(TRAINING):
            metric.name = TRAINING + metric.name
    return found


def validation_metrics(
    metrics: EvalMetric | Sequence[EvalMetric] | None, training: Sequence[EvalMetric]
) -> list[EvalMetric]:
    """Return the metrics of the validation, named so; by default copies of the training's."""
    found = metric_list(metrics) or [copy.deepcopy(metric) for metric in training]
    for metric in found:
        if not metric.name.startswith(VALIDATION):
            metric.name = VALIDATION + metric.name.removeprefix(TRAINING)
    return found


def expect_known(handler: Any, known: Iterable[EvalMetric]) -> None:
    """Check that the metrics a handler holds are an Estimator's.

    Raises
    ------
    ValueError
        One is not: nobody else would update it.
    """
    ids = {id(metric) for metric in known}
    for attribute, value in vars(handler).items():
        if "metric" not in attribute:
            continue
        for metric in value if isinstance(value, list | tuple) else [value]:
            if isinstance(metric, EvalMetric) and id(metric) not in ids:
                raise ValueError(
                    f"Event handler {type(handler).__name__} refers to the metric "
                    f"{metric.name!r}, which is none of the Estimator's. Use those in "
                    "estimator.train_metrics and estimator.val_metrics"
                )


def expect_monitor(handler: str, monitor: Any) -> None:
    """Check that `monitor` is a metric of one value.

    Raises
    ------
    ValueError
        It is not.
    """
    if not isinstance(monitor, EvalMetric):
        raise ValueError(
            f"{handler}: got monitor={monitor!r}, expected one of the metrics in "
            "estimator.train_metrics and estimator.val_metrics"
        )
    if isinstance(monitor, CompositeEvalMetric):
        raise ValueError(
            f"{handler}: monitor is a CompositeEvalMetric, which has several values; choose one of "
            "its metrics"
        )


def comparison(handler: str, monitor: EvalMetric, mode: str) -> np.ufunc:
    """Return `numpy.greater` or `numpy.less`: what a better value of a metric is to the best one.

    Parameters
    ----------
    handler : str
        Who asks, for the message.
    monitor : EvalMetric
    mode : {"auto", "min", "max"}
        "auto" decides by the metric's name: accuracies, F1 and correlations grow, all else falls.
    """
    if mode not in ("auto", "min", "max"):
        warnings.warn(
            f"{handler}: got mode={mode!r}, expected 'auto', 'min' or 'max'; 'auto' is used",
            RuntimeWarning,
            stacklevel=3,
        )
        mode = "auto"
    if mode == "auto":
        name = monitor.name.lower()
        mode = "max" if any(part in name for part in _GREATER_IS_BETTER) else "min"
    return np.greater if mode == "max" else np.less


def worst(better: np.ufunc) -> float:
    """Return what every value is better than."""
    return math.inf if better is np.less else -math.inf
