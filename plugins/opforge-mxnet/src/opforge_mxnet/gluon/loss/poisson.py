"""`PoissonNLLLoss`: negative log-likelihood of Poisson-distributed counts."""

import math
from typing import Any

from opforge.gluon.loss.base import Loss, reshape_like, weighted

__all__ = ["PoissonNLLLoss"]


class PoissonNLLLoss(Loss):
    """Negative log-likelihood of counts, the mean over all elements of all samples.

    Parameters
    ----------
    weight : float, optional
        Factor of the loss.
    from_logits : bool, default True
        Whether predictions are logarithms of the expected counts: the loss is
        ``exp(pred) - target * pred``; otherwise ``pred - target * log(pred + epsilon)``.
    batch_axis : int, default 0
    compute_full : bool, default False
        Add Stirling's approximation of ``log(target!)`` for targets above 1.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> loss = gluon.loss.PoissonNLLLoss()
    >>> loss(nd.array([[0, 0]]), nd.array([[1, 3]])).asnumpy().tolist()
    [1.0]
    """

    def __init__(
        self,
        weight: float | None = None,
        from_logits: bool = True,
        batch_axis: int = 0,
        compute_full: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits = from_logits
        self._compute_full = compute_full

    def hybrid_forward(
        self, F: Any, pred: Any, target: Any, sample_weight: Any = None, epsilon: float = 1e-08
    ) -> Any:
        """Return the mean loss, shape (1,)."""
        target = reshape_like(F, target, pred)
        if self._from_logits:
            loss = F.exp(pred) - target * pred
        else:
            loss = pred - target * F.log(pred + epsilon)
        if self._compute_full:
            loss = loss + _log_factorial(F, target)
        return F.mean(weighted(F, loss, self._weight, sample_weight))


def _log_factorial(F: Any, target: Any) -> Any:
    """Return Stirling's approximation of the logarithm of factorials above 1, and 0 of others."""
    # The logarithm of a count of 0 would be infinite, and 0 times infinity nan.
    count = F.maximum(target, 1)
    return (count * F.log(count) - count + 0.5 * F.log(2 * math.pi * count)) * (target > 1)
