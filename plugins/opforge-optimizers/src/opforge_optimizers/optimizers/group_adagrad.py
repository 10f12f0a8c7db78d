"""`GroupAdaGrad`: one learning rate per row of a matrix."""

from typing import Any

from opforge.plugin_api import F, Optimizer, ShapeError

__all__ = ["GroupAdaGrad"]


class GroupAdaGrad(Optimizer):
    """AdaGrad with one learning rate for each row of a matrix, such as an embedding.

    With ``g = clip(rescale_grad * grad)``::

        history += mean(g * g, axis=1, keepdims=True)
        weight -= lr * g / sqrt(history + eps)

    Parameters
    ----------
    eps : float, default 1e-5
    **kwargs
        See `opforge.optimizer.Optimizer`; `wd` must be 0.

    Raises
    ------
    ShapeError
        A weight is not a matrix.
    ValueError
        A weight has weight decay.

    Examples
    --------
    >>> from opforge import nd, optimizer
    >>> weight, group = nd.zeros((2, 2)), optimizer.GroupAdaGrad(learning_rate=1.0)
    >>> history = group.create_state(0, weight)
    >>> group.update(0, weight, nd.array([[3.0, 4.0], [0.0, 0.0]]), history)
    >>> history.asnumpy().tolist()
    [[12.5], [0.0]]
    """

    def __init__(self, eps: float = 1e-5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.float_stable_eps = eps

    def create_state(self, index: Any, weight: Any) -> Any:
        """Return the history of each row, initially zeros."""
        if weight.ndim != 2:
            raise ShapeError(
                f"GroupAdaGrad: weight {index!r} has shape {weight.shape}, expected a matrix; use "
                "AdaGrad for other weights"
            )
        return F.zeros((weight.shape[0], 1), weight.context, weight.dtype)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Update `weight` and `state` in place."""
        self._update_count(index)
        if self._get_wd(index):
            raise ValueError(
                f"GroupAdaGrad: weight {index!r} has weight decay {self._get_wd(index)}, expected "
                "0; use AdaGrad for weight decay"
            )
        limit = self.clip_gradient
        F.contrib.group_adagrad_update(
            weight,
            # Rows that a row-sparse gradient lacks have a gradient of 0 and do not change.
            grad.tostype("default"),
            state,
            lr=self._get_lr(index),
            rescale_grad=self.rescale_grad,
            clip_gradient=limit if limit is not None and limit > 0 else -1.0,
            epsilon=self.float_stable_eps,
            out=weight,
        )
