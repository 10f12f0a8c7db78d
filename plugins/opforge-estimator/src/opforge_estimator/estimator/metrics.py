"""Metrics of an Estimator: validation, defaults for a loss, and comparison of values.

Metric names start with ``training`` or ``validation``, by which handlers distinguish them.
"""

import copy
import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from opforge.plugin_api import EvalMetric, Loss
from opforge.plugin_api import gluon as _gluon
from opforge.plugin_api import metric as _metric

from .outputs import LossSum, OutputLoss, assign_output

__all__ = [
    "TRAINING",
    "VALIDATION",
    "Metrics",
    "comparison",
    "expect_known",
    "expect_monitor",
    "metric_list",
    "training_metrics",
    "validation_metrics",
    "worst",
]

#: Metrics of all outputs, or by the name of the output.
Metrics = EvalMetric | Sequence[EvalMetric] | Mapping[str, EvalMetric | Sequence[EvalMetric]] | None
TRAINING = "training "
VALIDATION = "validation "
#: Substrings of the names of metrics for which higher is better.
_GREATER_IS_BETTER = ("acc", "auc", "f1", "mcc", "pcc", "pearson", "precision")


def metric_list(metrics: EvalMetric | Sequence[EvalMetric] | None) -> list[EvalMetric]:
    """Return the user's metrics as a flat list.

    Raises
    ------
    ValueError
        One of them is not a metric.
    """
    if isinstance(metrics, _metric.CompositeEvalMetric):
        return [single for inner in metrics.metrics for single in metric_list(inner)]
    given = [metrics] if isinstance(metrics, EvalMetric) else metrics or []
    for metric in given:
        if not isinstance(metric, EvalMetric):
            raise ValueError(
                f"metrics must be a metric.EvalMetric or a list of them, got {metrics!r}; "
                "metric.create makes one of a name"
            )
    return list(given)


def training_metrics(metrics: Metrics, loss: Loss) -> list[EvalMetric]:
    """Return the renamed training metrics; by default those suitable for the loss.

    Raises
    ------
    ValueError
        A metric belongs to an output without a loss.
    """
    found = _metrics_by_output(metrics, loss) or _defaults(loss)
    for metric in found:
        if not metric.name.startswith(TRAINING):
            metric.name = TRAINING + metric.name
    return found


def validation_metrics(
    metrics: Metrics, training: Sequence[EvalMetric], loss: Loss
) -> list[EvalMetric]:
    """Return the renamed validation metrics; by default copies of the training metrics.

    Raises
    ------
    ValueError
        A metric belongs to an output without a loss.
    """
    found = _metrics_by_output(metrics, loss) or [_copy(metric, loss) for metric in training]
    for metric in found:
        if not metric.name.startswith(VALIDATION):
            metric.name = VALIDATION + metric.name.removeprefix(TRAINING)
    return found


def _metrics_by_output(metrics: Metrics, loss: Loss) -> list[EvalMetric]:
    """Return the user's metrics as a flat list; those of a dict belong to one output each."""
    if not isinstance(metrics, Mapping):
        return metric_list(metrics)
    names = list(loss.losses) if isinstance(loss, LossSum) else []
    found = []
    for name, of_output in metrics.items():
        if name not in names:
            raise ValueError(
                f"metrics has the name {name!r}, but loss has {', '.join(names) or 'no names'}; "
                'pass losses by the same names: loss={"kind": SoftmaxCrossEntropyLoss(), '
                '"size": L2Loss()}'
            )
        own = metric_list(of_output)
        assign_output(own, name)
        found += own
    return found


def _defaults(loss: Loss) -> list[EvalMetric]:
    if isinstance(loss, LossSum):
        found: list[EvalMetric] = [_metric.Loss("loss")]
        for name, one in loss.losses.items():
            own = [*_accuracies(one), OutputLoss(one)]
            assign_output(own, name)
            found += own
        return found
    return [*_accuracies(loss), _metric.Loss(loss.name.rstrip("0123456789"))]


def _accuracies(loss: Loss) -> list[EvalMetric]:
    is_of_classes = isinstance(loss, _gluon.loss.SoftmaxCrossEntropyLoss)
    return [_metric.Accuracy()] if is_of_classes else []


def _copy(metric: EvalMetric, loss: Loss) -> EvalMetric:
    """Return a copy of a metric; the loss of an output is that of the validation."""
    if isinstance(metric, OutputLoss) and isinstance(loss, LossSum) and metric.label_names:
        (name,) = metric.label_names
        copied: EvalMetric = OutputLoss(loss.losses[name])
        assign_output([copied], name)
        return copied
    return copy.deepcopy(metric)


def expect_known(handler: Any, known: Iterable[EvalMetric]) -> None:
    """Check that a handler's metrics belong to the Estimator.

    Raises
    ------
    ValueError
        A metric does not belong to it, so it would never be updated.
    """
    ids = {id(metric) for metric in known}
    for attribute, value in vars(handler).items():
        if "metric" not in attribute:
            continue
        for metric in value if isinstance(value, list | tuple) else [value]:
            if isinstance(metric, EvalMetric) and id(metric) not in ids:
                raise ValueError(
                    f"Event handler {type(handler).__name__} refers to the metric "
                    f"{metric.name!r}, which is not one of the Estimator's. Use those in "
                    "estimator.train_metrics and estimator.val_metrics"
                )


def expect_monitor(handler: str, monitor: Any) -> None:
    """Check that `monitor` is a metric with a single value.

    Raises
    ------
    ValueError
        It is not such a metric.
    """
    if not isinstance(monitor, EvalMetric):
        raise ValueError(
            f"{handler}: got monitor={monitor!r}, expected one of the metrics in "
            "estimator.train_metrics and estimator.val_metrics"
        )
    if isinstance(monitor, _metric.CompositeEvalMetric):
        raise ValueError(
            f"{handler}: monitor is a CompositeEvalMetric, which has several values; choose one of "
            "its metrics"
        )


def comparison(handler: str, monitor: EvalMetric, mode: str) -> np.ufunc:
    """Return the comparison that a better value satisfies, `numpy.greater` or `numpy.less`.

    Parameters
    ----------
    handler : str
        Name of the handler, for messages.
    monitor : EvalMetric
    mode : {"auto", "min", "max"}
        "auto" decides by the metric's name: higher is better for accuracies, areas under curves,
        precisions, F1 and correlations, lower for others.
    """
    if mode not in ("auto", "min", "max"):
        warnings.warn(
            f"{handler}: got mode={mode!r}, expected 'auto', 'min' or 'max'; 'auto' is used",
            RuntimeWarning,
            stacklevel=3,
        )
        mode = "auto"
    if mode == "auto":
        name = monitor.name
        for output in monitor.label_names or ():  # a label "account" is no accuracy
            name = name.replace(f"{output}_", "")
        name = name.lower()
        mode = "max" if any(part in name for part in _GREATER_IS_BETTER) else "min"
    return np.greater if mode == "max" else np.less


def worst(better: np.ufunc) -> float:
    """Return the value that every other improves on."""
    return math.inf if better is np.less else -math.inf
