"""Metrics aggregated over all ranks."""

import copy
from typing import Any

import numpy as np

from ..collectives.all_reduce import all_reduce
from ..collectives.session import world
from ..collectives.signature import CollectiveSignature

__all__ = ["metric_of_all"]


def metric_of_all(metric: Any) -> tuple[Any, Any]:
    """Return the value that a metric would have after the samples of all ranks.

    Parameters
    ----------
    metric : EvalMetric
        Metric of this rank; it is not modified. Its value must be a function of `sum_metric` and
        `num_inst`, like that of all means.

    Returns
    -------
    name, value
        Like the result of `EvalMetric.get`; equal on all ranks.

    Raises
    ------
    DistributedError
        Other ranks pass a different metric, or call another collective.

    Examples
    --------
    >>> from opforge import metric, nd
    >>> accuracy = metric.Accuracy()
    >>> accuracy.update([nd.array([0, 1])], [nd.array([[0.9, 0.1], [0.8, 0.2]])])
    >>> metric_of_all(accuracy)
    ('accuracy', 0.5)
    """
    total = copy.deepcopy(metric)
    leaves = _leaves(total)
    counts = np.array([[leaf.sum_metric, leaf.num_inst] for leaf in leaves], np.float64).ravel()
    ranks = world()
    names = tuple(str(leaf.name) for leaf in leaves)
    ranks.run(all_reduce(ranks.comm, counts, counts), CollectiveSignature("metric", names))
    for leaf, (summed, count) in zip(leaves, counts.reshape(-1, 2).tolist(), strict=True):
        leaf.sum_metric, leaf.num_inst = summed, int(count)
    name, value = total.get()
    return name, value


def _leaves(metric: Any) -> list[Any]:
    """Return the metrics of a composite metric, recursively."""
    parts = getattr(metric, "metrics", None)
    return [metric] if parts is None else [leaf for part in parts for leaf in _leaves(part)]
