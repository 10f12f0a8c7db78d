"""`Signum`: steps of the same size in all elements."""

from typing import Any

from opforge.plugin_api import F, FusedOptimizer

__all__ = ["Signum"]


class Signum(FusedOptimizer):
    """Move against the sign of the momentum, or of the gradient (Bernstein et al., 2018).

    With ``g = clip(rescale_grad * grad)``::

        state = momentum * state - (1 - momentum) * (g + wd * weight)
        weight = (1 - lr * wd_lh) * weight + lr * sign(state)

    Without momentum, as in MXNet, weight decay is decoupled::

        weight = (1 - lr * wd) * weight - lr * sign(grad)

    Parameters
    ----------
    learning_rate : float, default 0.01
        Overrides the `base_lr` of a scheduler, even by default, as in MXNet.
    momentum : float, default 0.9
    wd_lh : float, default 0.0
        Decoupled weight decay, for an optimizer with momentum.
    **kwargs
        See `opforge.optimizer.Optimizer`.

    Raises
    ------
    ValueError
        `wd_lh` is given without momentum.

    Examples
    --------
    >>> from opforge import nd, optimizer
    >>> weight, signum = nd.array([1.0, 1.0]), optimizer.Signum(learning_rate=0.5)
    >>> signum.update(0, weight, nd.array([3.0, -0.1]), signum.create_state(0, weight))
    >>> weight.asnumpy().tolist()
    [0.5, 1.5]
    """

    def __init__(
        self,
        learning_rate: float | None = 0.01,
        momentum: float = 0.9,
        wd_lh: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        if wd_lh and not momentum:
            raise ValueError(
                f"Signum: wd_lh is {wd_lh}, which needs momentum; without momentum use wd, which "
                "is decoupled then"
            )
        self.momentum = momentum
        self.wd_lh = wd_lh
        self.rule = "signum" if momentum else "signsgd"

    def create_state(self, index: Any, weight: Any) -> Any:
        """Return the momentum, initially zeros; None without momentum."""
        return F.zeros_like(weight) if self.momentum else None

    def coefficients(self) -> dict[str, float]:
        """Return the settings of the rule."""
        # As in MXNet, a negative momentum counts as 0.
        return {"a": max(self.momentum, 0.0), "b": self.wd_lh}
