"""`Loss`: weighting and averaging shared by all losses."""

from numbers import Number
from typing import Any

from ...ndarray import NDArray
from ..hybrid_block import HybridBlock

__all__ = ["Loss"]


class Loss(HybridBlock):
    """Base class of losses.

    Parameters
    ----------
    weight : float or None
        Factor of the loss.
    batch_axis : int
        Axis of the samples; the loss is the mean over all others.
    **kwargs
        Passed to `HybridBlock`.
    """

    def __init__(self, weight: float | None, batch_axis: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._weight = weight
        self._batch_axis = batch_axis

    def __repr__(self) -> str:
        return f"{type(self).__name__}(batch_axis={self._batch_axis}, w={self._weight})"

    def _mean(self, F: Any, loss: Any) -> Any:
        """Return the mean of `loss` for each sample."""
        if rank(loss) == 1:  # one number per sample: nothing to average
            return loss
        return F.mean(loss, axis=self._batch_axis, exclude=True)


def weighted(F: Any, loss: Any, weight: float | None = None, sample_weight: Any = None) -> Any:
    """Multiply `loss` by the weights of the samples (broadcast) and by `weight`.

    Parameters
    ----------
    F : module
    loss : NDArray
    weight : float, optional
    sample_weight : NDArray, optional
        Broadcast to the shape of `loss`, for instance (64, 1) against (64, 10).
    """
    if sample_weight is not None:
        loss = F.broadcast_mul(loss, sample_weight)
    if weight is not None:
        assert isinstance(weight, Number), f"weight must be a number, got {weight!r}"
        loss = loss * weight
    return loss


def rank(x: Any) -> int | None:
    """Return the number of dimensions; None for a symbol, which has no shape."""
    return getattr(x, "ndim", None)


def reshape_like(F: Any, x: Any, y: Any) -> Any:
    """Return `x` in the shape of `y`, which has the same number of elements."""
    if not isinstance(y, NDArray):
        return F.reshape_like(x, y)
    return x if x.shape == y.shape else x.reshape(y.shape)
