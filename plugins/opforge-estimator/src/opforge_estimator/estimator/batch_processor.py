"""`BatchProcessor`: processing of one batch by an Estimator."""

from typing import Any

from opforge.plugin_api import F, autograd
from opforge.plugin_api import gluon as _gluon

from .outputs import group_labels

__all__ = ["BatchProcessor"]

split_and_load = _gluon.utils.split_and_load

_Parts = list[F.NDArray]


class BatchProcessor:
    """Processor that splits a batch over contexts and computes outputs, losses and gradients.

    For batches other than ``data, label``, or data and a label for each of several losses, derive
    from it and override `fit_batch` and `evaluate_batch`.
    """

    def _get_data_and_label(self, batch: Any, ctx: Any, batch_axis: int = 0) -> tuple[_Parts, Any]:
        """Return the parts of data and label, one for each context."""
        data = split_and_load(batch[0], ctx_list=ctx, batch_axis=batch_axis)
        several = isinstance(batch[1], list | tuple)
        parts = [
            split_and_load(label, ctx_list=ctx, batch_axis=batch_axis)
            for label in (batch[1] if several else batch[1:2])
        ]
        return data, list(map(list, zip(*parts, strict=True))) if several else parts[0]

    def evaluate_batch(
        self, estimator: Any, val_batch: Any, batch_axis: int = 0
    ) -> tuple[Any, Any, Any, Any]:
        """Evaluate a validation batch.

        Parameters
        ----------
        estimator : Estimator
        val_batch : tuple
            Data and label.
        batch_axis : int, default 0
            Axis along which a batch is split over contexts.

        Returns
        -------
        data, label, pred, loss : list of NDArray
            One entry for each context; lists of labels and outputs if there are several losses.
        """
        val_batch = group_labels(estimator.val_loss, val_batch)
        data, label = self._get_data_and_label(val_batch, estimator.context, batch_axis)
        pred = [estimator.val_net(x) for x in data]
        loss = [estimator.val_loss(y_hat, y) for y_hat, y in zip(pred, label, strict=True)]
        return data, label, pred, loss

    def fit_batch(
        self, estimator: Any, train_batch: Any, batch_axis: int = 0
    ) -> tuple[Any, Any, Any, Any]:
        """Compute the gradients for a training batch.

        Parameters and returned values are those of `evaluate_batch`.
        """
        train_batch = group_labels(estimator.loss, train_batch)
        data, label = self._get_data_and_label(train_batch, estimator.context, batch_axis)
        with autograd.record():
            pred = [estimator.net(x) for x in data]
            loss = [estimator.loss(y_hat, y) for y_hat, y in zip(pred, label, strict=True)]
        for part in loss:
            part.backward()
        return data, label, pred, loss
