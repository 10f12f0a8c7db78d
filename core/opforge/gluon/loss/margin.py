"""Margin losses: `HingeLoss`, `SquaredHingeLoss`, `LogisticLoss`, `TripletLoss`."""

from typing import Any

from .base import Loss, reshape_like, weighted
from .functions import relu, softplus

__all__ = ["HingeLoss", "LogisticLoss", "SquaredHingeLoss", "TripletLoss"]


class _MarginLoss(Loss):
    """Base class of losses with a margin."""

    def __init__(
        self, margin: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin


class HingeLoss(_MarginLoss):
    """``mean(max(0, margin - pred * label))`` for each sample; labels are -1 or 1.

    Parameters
    ----------
    margin : float, default 1
    weight : float, optional
    batch_axis : int, default 0
    """

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss of each sample, shape (batch,)."""
        loss = self._shape(F, relu(F, self._margin - pred * reshape_like(F, label, pred)))
        return self._mean(F, weighted(F, loss, self._weight, sample_weight))

    def _shape(self, F: Any, deficit: Any) -> Any:
        """Return the loss for a given deficit to the margin."""
        return deficit


class SquaredHingeLoss(HingeLoss):
    """``mean(max(0, margin - pred * label)**2)`` for each sample; labels are -1 or 1."""

    def _shape(self, F: Any, deficit: Any) -> Any:
        return F.square(deficit)


class LogisticLoss(Loss):
    """``mean(log(1 + exp(-pred * label)))`` for each sample.

    Parameters
    ----------
    weight : float, optional
    batch_axis : int, default 0
    label_format : {"signed", "binary"}, default "signed"
        Labels are -1 and 1, or 0 and 1.

    Raises
    ------
    ValueError
        `label_format` is neither of these.
    """

    def __init__(
        self,
        weight: float | None = None,
        batch_axis: int = 0,
        label_format: str = "signed",
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        if label_format not in ("signed", "binary"):
            raise ValueError(f"label_format can only be signed or binary, recieved {label_format}.")
        self._label_format = label_format

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss of each sample, shape (batch,)."""
        label = reshape_like(F, label, pred)
        if self._label_format == "signed":
            label = (label + 1.0) / 2.0
        loss = softplus(F, pred) - pred * label
        return self._mean(F, weighted(F, loss, self._weight, sample_weight))


class TripletLoss(_MarginLoss):
    """``max(0, sum((positive - pred)**2 - (negative - pred)**2) + margin)`` for each sample.

    Parameters
    ----------
    margin : float, default 1
    weight : float, optional
    batch_axis : int, default 0
    """

    def hybrid_forward(
        self, F: Any, pred: Any, positive: Any, negative: Any, sample_weight: Any = None
    ) -> Any:
        """Return the loss of each sample, shape (batch,)."""
        near = F.square(reshape_like(F, positive, pred) - pred)
        far = F.square(reshape_like(F, negative, pred) - pred)
        distance = F.sum(near - far, axis=self._batch_axis, exclude=True)
        return weighted(F, relu(F, distance + self._margin), self._weight, sample_weight)
