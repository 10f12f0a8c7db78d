"""`LossScaler`: the factor of a loss, which follows what the gradients bear."""

import logging
from collections.abc import Iterable

from opforge import autograd, nd
from opforge.gluon.parameter import Parameter

__all__ = ["LossScaler"]

FIRST, MOST = 2.0**16, 2.0**24
#: So many steps without an overflow double the factor.
PATIENCE = 2000


class LossScaler:
    """A factor that is halved where gradients overflow, and doubled after many that do not."""

    def __init__(self) -> None:
        #: The factor of the next loss.
        self.loss_scale = FIRST
        self._n_good = 0

    def has_overflow(self, params: Iterable[Parameter]) -> bool:
        """Tell whether a gradient is infinite or NaN; the factor of the next loss follows.

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
