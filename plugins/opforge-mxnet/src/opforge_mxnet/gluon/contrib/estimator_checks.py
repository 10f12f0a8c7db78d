"""MXNet's checks of an Estimator's metrics, ``gluon.contrib.estimator.utils``.

Estimators that derive from `gluon.contrib.estimator.Estimator` import them by these names.
"""

from collections.abc import Iterable
from typing import Any

from opforge.gluon.loss import SoftmaxCrossEntropyLoss
from opforge.metric import Accuracy, CompositeEvalMetric, EvalMetric

__all__: list[str] = []


def _check_metrics(metrics: Any) -> list[EvalMetric]:
    """Return metrics as a list, with those of a `CompositeEvalMetric` one by one.

    Raises
    ------
    ValueError
        `metrics` is not a metric, a list of them or None.
    """
    if isinstance(metrics, CompositeEvalMetric):
        return [one for part in metrics.metrics for one in _check_metrics(part)]
    if isinstance(metrics, EvalMetric):
        return [metrics]
    found = metrics or []
    if not all(isinstance(metric, EvalMetric) for metric in found):
        raise ValueError(f"metrics must be a Metric or a list of Metric, got {metrics}")
    return list(found)


def _check_handler_metric_ref(handler: Any, known_metrics: Iterable[EvalMetric]) -> None:
    """Check all attributes of a handler whose names contain ``metric``.

    Raises
    ------
    ValueError
        One is a metric that is not in `known_metrics`.
    """
    for name in dir(handler):
        reference = getattr(handler, name) if "metric" in name else None
        if reference:
            for metric in reference if isinstance(reference, list) else [reference]:
                _check_metric_known(handler, metric, known_metrics)


def _check_metric_known(handler: Any, metric: Any, known_metrics: Iterable[EvalMetric]) -> None:
    if metric not in known_metrics:
        raise ValueError(
            f"Event handler {type(handler).__name__} refers to a metric instance {metric} outside "
            "of the known training and validation metrics. Please use the metrics from "
            "estimator.train_metrics and estimator.val_metrics instead."
        )


def _suggest_metric_for_loss(loss: Any) -> EvalMetric | None:
    """Return the accuracy for `SoftmaxCrossEntropyLoss`, None for other losses."""
    return Accuracy() if isinstance(loss, SoftmaxCrossEntropyLoss) else None
