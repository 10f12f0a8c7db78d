"""`LossScaler`: dynamic scaling factor of a loss."""

import logging
from collections.abc import Iterable

from opforge import autograd, nd
from opforge.gluon.parameter import Parameter

__all__ = ["LossScaler", "UnitScale"]

FIRST, MOST = 2.0**16, 2.0**24
#: Number of steps without overflow after which the factor is doubled.
PATIENCE = 2000


class LossScaler:
    """A factor that is halved if gradients overflow, and doubled after many steps without."""

    def __init__(self) -> None:
        #: Factor of the next loss.
        self.loss_scale = FIRST
        self._n_good = 0

    def has_overflow(self, params: Iterable[Parameter]) -> bool:
        """Return whether a gradient is infinite or NaN, and adapt the factor.

        Parameters
        ----------
        params : iterable of Parameter
        """
        with autograd.pause():
            overflows = not all(
                nd.all_finite(grad).asscalar()
                for param in params
                if param.grad_req != "null"
                for grad in param.list_grad()
            )
        if overflows:
            self._n_good = 0
            self._change(self.loss_scale / 2, "decreasing")
            return True
        self._n_good += 1
        if self._n_good == PATIENCE:
            self._n_good = 0
            self._change(min(MOST, self.loss_scale * 2), "increasing")
        return False

    def _change(self, scale: float, how: str) -> None:
        self.loss_scale = scale
        logging.info("AMP: %s loss scale to %f", how, scale)


class UnitScale(LossScaler):
    """The factor 1, for a dtype with the range of float32: no step is skipped."""

    def __init__(self) -> None:
        super().__init__()
        self.loss_scale = 1.0

    def has_overflow(self, params: Iterable[Parameter]) -> bool:
        """Return False.

        Parameters
        ----------
        params : iterable of Parameter
        """
        return False
