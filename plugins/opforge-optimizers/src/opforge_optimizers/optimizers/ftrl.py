"""`Ftrl`: sparse weights by an L1 penalty."""

from typing import Any

from opforge.plugin_api import F, FusedOptimizer

__all__ = ["Ftrl"]


class Ftrl(FusedOptimizer):
    """Follow the regularized leader (McMahan et al., 2013), for sparse linear models.

    With ``g = clip(rescale_grad * grad)``::

        z += g - (sqrt(n + g * g) - sqrt(n)) * weight / lr
        n += g * g
        weight = (sign(z) * lamda1 - z) / ((beta + sqrt(n)) / lr + wd) if |z| > lamda1 else 0

    The first update does not depend on the initial weight, except through z.

    Parameters
    ----------
    lamda1 : float, default 0.01
        L1 penalty; a weight with a small z is exactly 0.
    learning_rate : float, default 0.1
        Does not override the `base_lr` of a scheduler.
    beta : float, default 1.0
    **kwargs
        See `opforge.optimizer.Optimizer`.

    Notes
    -----
    Rows of a row-sparse weight that a row-sparse gradient lacks are skipped.

    Examples
    --------
    >>> from opforge import nd, optimizer
    >>> weight, ftrl = nd.array([0.0, 0.0]), optimizer.Ftrl(lamda1=0.5, learning_rate=1.0)
    >>> ftrl.update(0, weight, nd.array([3.0, 0.25]), ftrl.create_state(0, weight))
    >>> weight.asnumpy().tolist()
    [-0.625, 0.0]
    """

    rule = "ftrl"

    def __init__(
        self,
        lamda1: float = 0.01,
        learning_rate: float = 0.1,
        beta: float = 1.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.lamda1 = lamda1
        self.beta = beta
        self.lr = learning_rate

    def create_state(self, index: Any, weight: Any) -> Any:
        """Return z and n, initially zeros."""
        return F.zeros_like(weight), F.zeros_like(weight)

    def coefficients(self) -> dict[str, float]:
        """Return the settings of the rule."""
        return {"a": self.beta, "epsilon": self.lamda1}

    def skips_rows(self, weight: Any, wd: float) -> bool:
        """Return whether rows that a row-sparse gradient lacks stay unchanged."""
        return bool(weight.stype == "row_sparse")
