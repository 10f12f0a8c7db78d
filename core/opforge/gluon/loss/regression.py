"""Regression losses: `L1Loss`, `L2Loss`, `HuberLoss`."""

from typing import Any

from .base import Loss, reshape_like, weighted

__all__ = ["HuberLoss", "L1Loss", "L2Loss"]


class L2Loss(Loss):
    """Half the mean squared difference: ``mean(0.5 * (label - pred)**2)`` for each sample.

    Parameters
    ----------
    weight : float, default 1.0
    batch_axis : int, default 0

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon.loss import L2Loss
    >>> L2Loss()(nd.array([[1, 3]]), nd.array([[1, 1]])).asnumpy().tolist()
    [1.0]
    """

    def __init__(self, weight: float | None = 1.0, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss of each sample, shape (batch,)."""
        loss = F.square(reshape_like(F, label, pred) - pred)
        weight = None if self._weight is None else self._weight / 2
        return self._mean(F, weighted(F, loss, weight, sample_weight))


class L1Loss(Loss):
    """Mean absolute difference: ``mean(|label - pred|)`` for each sample.

    Parameters
    ----------
    weight : float, optional
    batch_axis : int, default 0
    """

    def __init__(self, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss of each sample, shape (batch,)."""
        loss = F.abs(reshape_like(F, label, pred) - pred)
        return self._mean(F, weighted(F, loss, self._weight, sample_weight))


class HuberLoss(Loss):
    """L1 loss that is quadratic for differences below `rho`.

    Parameters
    ----------
    rho : float, default 1
    weight : float, optional
    batch_axis : int, default 0
    """

    def __init__(
        self, rho: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._rho = rho

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss of each sample, shape (batch,)."""
        loss = F.abs(reshape_like(F, label, pred) - pred)
        loss = F.where(loss > self._rho, loss - 0.5 * self._rho, (0.5 / self._rho) * F.square(loss))
        return self._mean(F, weighted(F, loss, self._weight, sample_weight))
