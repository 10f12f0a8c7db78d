"""Losses of pairs of vectors: `CosineEmbeddingLoss`, `SDMLLoss`."""

from typing import Any

from opforge.gluon.loss import KLDivLoss
from opforge.gluon.loss.base import Loss, reshape_like, weighted

__all__ = ["CosineEmbeddingLoss", "SDMLLoss"]


class CosineEmbeddingLoss(Loss):
    """Loss of pairs of vectors that should point in the same direction or not.

    It is ``1 - cos`` for label 1, ``max(0, cos - margin)`` for label -1 and 0 for other labels,
    where ``cos`` is the cosine of the angle between the vectors.

    Parameters
    ----------
    weight : float, optional
        Factor of the loss.
    batch_axis : int, default 0
    margin : float, default 0

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> x, y = nd.array([[3, 4], [3, 4]]), nd.array([[4, 3], [4, 3]])
    >>> loss = gluon.loss.CosineEmbeddingLoss(margin=0.5)
    >>> loss(x, y, nd.array([1, -1])).round().asnumpy().tolist()
    [[0.0], [0.0]]
    """

    def __init__(
        self, weight: float | None = None, batch_axis: int = 0, margin: float = 0, **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(
        self, F: Any, input1: Any, input2: Any, label: Any, sample_weight: Any = None
    ) -> Any:
        """Return the loss of each pair, shape (batch, 1)."""
        label = label.reshape((-1, 1))
        cosine = _cosine(F, reshape_like(F, input1, input2), input2)
        same = (1 - cosine) * (label == 1)
        different = F.maximum((label == -1) * (cosine - self._margin), 0)
        return weighted(F, same + different, self._weight, sample_weight)


class SDMLLoss(Loss):
    """Smoothed deep metric learning: each row of one batch should be nearest to its partner.

    Rows at the same index are pairs, all others are negative examples. The loss is the
    Kullback-Leibler divergence of the softmax of negative squared distances from smoothed labels.

    Parameters
    ----------
    smoothing_parameter : float, default 0.3
        Probability that the labels distribute over the other rows, below 1.
    weight : float, default 1
        Without effect, as in MXNet.
    batch_axis : int, default 0

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> x = nd.array([[0, 0], [0, 5]])
    >>> gluon.loss.SDMLLoss(smoothing_parameter=0.0)(x, x).round().asnumpy().tolist()
    [0.0, 0.0]
    """

    def __init__(
        self,
        smoothing_parameter: float = 0.3,
        weight: float | None = 1.0,
        batch_axis: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        # From scores instead of their log_softmax, which another plugin provides.
        self.kl_loss = KLDivLoss(from_logits=False)
        self.smoothing_parameter = smoothing_parameter

    def hybrid_forward(self, F: Any, x1: Any, x2: Any) -> Any:
        """Return the loss of each pair, shape (batch,)."""
        difference = F.broadcast_sub(F.expand_dims(x1, axis=1), F.expand_dims(x2, axis=0))
        distances = F.sum(F.square(difference), axis=2)
        return self.kl_loss(-distances, self._labels(F, distances))

    def _labels(self, F: Any, distances: Any) -> Any:
        """Return the smoothed labels for a batch of unknown size."""
        ones = F.BlockGrad(F.ones_like(F.slice_axis(distances, axis=1, begin=0, end=1)))
        same = F.diag(ones.reshape((-1,)))
        others = F.sum(ones, axis=0, keepdims=True) - 1
        smoothed = F.broadcast_div((1 - same) * self.smoothing_parameter, others)
        return same * (1 - self.smoothing_parameter) + smoothed


def _cosine(F: Any, x: Any, y: Any) -> Any:
    """Return the cosines between rows, shape (batch, 1)."""
    norms = F.norm(x, axis=-1) * F.norm(y, axis=-1)
    # In float16, 1e-12 is 0.
    cosine = F.sum(x * y, axis=-1) / (F.maximum(norms, 1e-12) + (norms == 0))
    return cosine.reshape((-1, 1))
