"""Losses of predicted probabilities."""

from typing import Any

from .base import Loss, rank, reshape_like, weighted
from .functions import log_softmax, softmax_cross_entropy, softplus

__all__ = [
    "KLDivLoss",
    "SigmoidBCELoss",
    "SigmoidBinaryCrossEntropyLoss",
    "SoftmaxCELoss",
    "SoftmaxCrossEntropyLoss",
]

_TINY = 1e-12  # keeps log() finite


class SoftmaxCrossEntropyLoss(Loss):
    """Cross entropy of the softmax of `pred` against class indices or distributions.

    Parameters
    ----------
    axis : int, default -1
        Axis of the classes.
    sparse_label : bool, default True
        Labels are class indices, of the shape of `pred` without `axis`; False: distributions, of
        the shape of `pred`.
    from_logits : bool, default False
        `pred` holds log probabilities already, as returned by `log_softmax`.
    weight : float, optional
    batch_axis : int, default 0
    ignore_label : int, optional
        Class index of elements whose loss is 0, such as the padding of sequences.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon.loss import SoftmaxCrossEntropyLoss
    >>> loss = SoftmaxCrossEntropyLoss()(nd.array([[0, 0]]), nd.array([1]))
    >>> round(loss.asscalar().item(), 4)
    0.6931
    """

    def __init__(
        self,
        axis: int = -1,
        sparse_label: bool = True,
        from_logits: bool = False,
        weight: float | None = None,
        batch_axis: int = 0,
        *,
        ignore_label: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        if ignore_label is not None and not sparse_label:
            raise ValueError(
                f"{type(self).__name__}: got ignore_label={ignore_label!r} and sparse_label=False; "
                "ignore_label is a class index, pass sparse_label=True"
            )
        self._axis = axis
        self._sparse_label = sparse_label
        self._from_logits = from_logits
        self._ignore_label = ignore_label

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss of each sample, shape (batch,)."""
        # Whether the result for data of two axes is one number per row.
        is_plain = self._axis in (-1, 1) and self._batch_axis == 0 and sample_weight is None
        is_plain = is_plain and self._ignore_label is None
        if self._sparse_label and not self._from_logits and is_plain:
            loss = softmax_cross_entropy(F, pred, label)
            if loss is not None:
                return weighted(F, loss, self._weight, None)
        if not self._from_logits:
            pred = log_softmax(F, pred, self._axis)
        if self._sparse_label:
            keepdims = not is_plain or rank(pred) != 2
            is_ignored = None
            if self._ignore_label is not None:
                is_ignored = label == self._ignore_label
                label = F.where(is_ignored, F.zeros_like(label), label)
            loss = -F.pick(pred, label, axis=self._axis, keepdims=keepdims)
            if is_ignored is not None:
                is_ignored = F.expand_dims(is_ignored, axis=self._axis)
                loss = F.where(is_ignored, F.zeros_like(loss), loss)
        else:
            label = reshape_like(F, label, pred)
            loss = -F.sum(pred * label, axis=self._axis, keepdims=True)
        return self._mean(F, weighted(F, loss, self._weight, sample_weight))


class SigmoidBinaryCrossEntropyLoss(Loss):
    """Cross entropy of independent binary labels.

    Parameters
    ----------
    from_sigmoid : bool, default False
        `pred` holds probabilities; False: logits.
    weight : float, optional
    batch_axis : int, default 0
    """

    def __init__(
        self,
        from_sigmoid: bool = False,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_sigmoid = from_sigmoid

    def hybrid_forward(
        self, F: Any, pred: Any, label: Any, sample_weight: Any = None, pos_weight: Any = None
    ) -> Any:
        """Return the loss of each sample, shape (batch,); `pos_weight` weights positive labels."""
        label = reshape_like(F, label, pred)
        make = self._of_probabilities if self._from_sigmoid else self._of_logits
        loss = make(F, pred, label, pos_weight)
        return self._mean(F, weighted(F, loss, self._weight, sample_weight))

    def _of_logits(self, F: Any, pred: Any, label: Any, pos_weight: Any) -> Any:
        if pos_weight is None:
            return softplus(F, pred) - pred * label
        log_weight = 1 + F.broadcast_mul(pos_weight - 1, label)
        return pred - pred * label + log_weight * softplus(F, -pred)

    def _of_probabilities(self, F: Any, pred: Any, label: Any, pos_weight: Any) -> Any:
        yes = F.log(pred + _TINY) * label
        no = F.log(1.0 - pred + _TINY) * (1.0 - label)
        if pos_weight is not None:
            yes = F.broadcast_mul(yes, pos_weight)
        return -(yes + no)


class KLDivLoss(Loss):
    """Kullback-Leibler divergence of `pred` from the distribution `label`, summed per sample.

    Parameters
    ----------
    from_logits : bool, default True
        `pred` holds log probabilities, as returned by `log_softmax`.
    axis : int, default -1
        Axis of the classes, if `from_logits` is False.
    weight : float, optional
    batch_axis : int, default 0
    """

    def __init__(
        self,
        from_logits: bool = True,
        axis: int = -1,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits = from_logits
        self._axis = axis

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss of each sample, shape (batch,)."""
        if not self._from_logits:
            pred = log_softmax(F, pred, self._axis)
        loss = label * (F.log(label + _TINY) - pred)
        loss = weighted(F, loss, self._weight, sample_weight)
        return F.sum(loss, axis=self._batch_axis, exclude=True)


SoftmaxCELoss = SoftmaxCrossEntropyLoss
SigmoidBCELoss = SigmoidBinaryCrossEntropyLoss
