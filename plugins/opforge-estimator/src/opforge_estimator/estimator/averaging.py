"""`AveragingHandler`: an exponential moving average of the parameters."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from opforge.plugin_api import F as nd

from .events import BatchEnd, TrainBegin

__all__ = ["AveragingHandler"]


class AveragingHandler(TrainBegin, BatchEnd):
    """Handler that keeps an exponential moving average of the trained parameters.

    After each batch, ``average = decay * average + (1 - decay) * parameter``. A smaller decay in
    the first batches, ``(1 + n) / (10 + n)`` after n of them, forgets the initial values.

    Parameters
    ----------
    decay : float, default 0.999
    priority : float, default -1900
        Runs after the update of the parameters.

    Raises
    ------
    ValueError
        `decay` is not between 0 and 1.

    Examples
    --------
    >>> averaging = AveragingHandler(0.99)
    >>> # estimator.fit(train_data, epochs=10, event_handlers=[averaging])
    >>> # with averaging.applied():
    >>> #     net.save_parameters("average.params")
    """

    def __init__(self, decay: float = 0.999, priority: float = -1900) -> None:
        if not 0 <= decay < 1:
            raise ValueError(f"AveragingHandler: decay is {decay}, expected 0 <= decay < 1")
        self.decay = decay
        self.priority = priority
        self.batches = 0
        self._averages: list[tuple[Any, nd.NDArray]] = []

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Forget the averages of an earlier training."""
        self.batches = 0
        self._averages = []

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Update the averages."""
        if not self._averages:  # parameters of unknown shape exist after the first batch
            params = [param for param in estimator.trainer._params if param.grad_req != "null"]
            self._averages = [(param, param.list_data()[0].copy()) for param in params]
        decay = min(self.decay, (1 + self.batches) / (10 + self.batches))
        for param, average in self._averages:
            average *= decay
            average += (1 - decay) * param.list_data()[0]
        self.batches += 1
        return False

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Set the parameters to their averages in a ``with`` block."""
        own = [(param, param.list_data()[0].copy()) for param, _ in self._averages]
        _set_all(self._averages)
        try:
            yield
        finally:
            _set_all(own)


def _set_all(values: list[tuple[Any, nd.NDArray]]) -> None:
    for param, value in values:
        param.set_data(value)
