"""Losses and metrics of networks with several outputs, each of which has a name and a label.

Outputs and labels have the order of the losses. Metrics select theirs by MXNet's `output_names`
and `label_names`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from opforge.plugin_api import EvalMetric, Loss
from opforge.plugin_api import metric as _metric

__all__ = ["LossSum", "OutputLoss", "assign_output", "group_labels", "update_by_output"]


class LossSum(Loss):
    """Sum of the losses of several outputs.

    Parameters
    ----------
    losses : dict of str to Loss
        In the order of outputs and labels.
    """

    def __init__(self, losses: Mapping[str, Loss]) -> None:
        super().__init__(weight=None, batch_axis=0)
        self.losses = dict(losses)
        for name, loss in losses.items():
            self.register_child(loss, name)

    def hybrid_forward(self, F: Any, outputs: Any, labels: Any) -> Any:
        """Return the sum for each sample.

        Raises
        ------
        ValueError
            The numbers of outputs, labels and losses differ.
        """
        outputs, labels = _as_list(outputs), _as_list(labels)
        for kind, values in (("outputs", outputs), ("labels", labels)):
            if len(values) != len(self.losses):
                raise ValueError(
                    f"Estimator: loss has {len(self.losses)} names ({', '.join(self.losses)}); got "
                    f"{len(values)} {kind}. Pass a loss for each of the {kind}, in their order"
                )
        parts = zip(self.losses.values(), outputs, labels, strict=True)
        first, *others = (loss(output, label) for loss, output, label in parts)
        return sum(others, start=first)


class OutputLoss(_metric.Loss):
    """Mean of the loss of one output.

    Parameters
    ----------
    loss : Loss
    """

    def __init__(self, loss: Loss) -> None:
        super().__init__(loss.name.rstrip("0123456789"))
        self.loss = loss

    def update(self, labels: Any, preds: Any) -> None:
        """Update with the labels and outputs of a batch."""
        super().update(None, list(map(self.loss, preds, labels)))


def assign_output(metrics: Iterable[EvalMetric], name: str) -> None:
    """Let metrics use one output and its label, whose name comes before their own."""
    for metric in metrics:
        if metric.label_names != [name]:
            metric.output_names = metric.label_names = [name]
            metric.name = f"{name}_{metric.name}"


def group_labels(loss: Loss, batch: Any) -> Any:
    """Return a batch of data and label; the label is a list if there are several losses."""
    if isinstance(loss, LossSum) and len(batch) > 2:
        return batch[0], list(batch[1:])
    return batch


def update_by_output(
    metric: EvalMetric, names: Sequence[str], labels: Iterable[Any], outputs: Iterable[Any]
) -> None:
    """Update a metric with its labels and outputs on each context."""
    for label, output in zip(labels, outputs, strict=True):
        label_of = dict(zip(names, _as_list(label), strict=True))
        metric.update_dict(label_of, dict(zip(names, _as_list(output), strict=True)))


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else [value]
