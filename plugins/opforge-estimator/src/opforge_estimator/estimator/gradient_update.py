"""`GradientUpdateHandler`: the optimizer's step after each batch, or after several."""

from typing import Any

from opforge.plugin_api import gluon as _gluon

from .events import BatchEnd, EpochEnd, TrainBegin, TrainEnd

__all__ = ["GradientUpdateHandler"]


class GradientUpdateHandler(TrainBegin, BatchEnd, EpochEnd, TrainEnd):
    """Handler that updates parameters after each batch, with gradients divided by the batch size.

    Pass one with other arguments to `Estimator.fit` instead of the default.

    Parameters
    ----------
    priority : float, default -2000
        Runs first, so that other handlers see the updated network.
    max_norm : float, optional
        Upper limit of the global norm of the gradients, which are scaled down to it; see
        `gluon.utils.clip_global_norm`. The trainer must not update in its store.
    accumulate : int, default 1
        Number of batches whose gradients are summed for one update. The last batches of an epoch
        give an update even if they are fewer.

    Raises
    ------
    ValueError
        `max_norm` is not positive, or `accumulate` is less than 1.

    Examples
    --------
    >>> clipped = GradientUpdateHandler(max_norm=1.0)
    >>> # estimator.fit(train_data, epochs=10, event_handlers=[clipped])
    """

    def __init__(
        self, priority: float = -2000, max_norm: float | None = None, accumulate: int = 1
    ) -> None:
        if max_norm is not None and not max_norm > 0:
            raise ValueError(f"GradientUpdateHandler: max_norm is {max_norm}, expected more than 0")
        if accumulate < 1:
            raise ValueError(
                f"GradientUpdateHandler: accumulate is {accumulate}, expected at least 1"
            )
        self.priority = priority
        self.max_norm = max_norm
        self.accumulate = accumulate
        self._batches = self._samples = 0
        self._overwritten: list[Any] = []

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Let backward passes add to the gradients, if they are accumulated."""
        self._batches = self._samples = 0
        if self.accumulate > 1:
            params = estimator.trainer._params
            self._overwritten = [param for param in params if param.grad_req == "write"]
            for param in self._overwritten:
                param.grad_req = "add"

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Run an optimizer step if the batches are complete."""
        losses = kwargs["loss"]
        losses = losses if isinstance(losses, list) else [losses]
        self._samples += sum(loss.shape[0] for loss in losses)
        self._batches += 1
        if self._batches >= self.accumulate:
            self._step(estimator.trainer)
        return False

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Run an optimizer step for the remaining batches."""
        if self._batches:
            self._step(estimator.trainer)
        return False

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Let backward passes overwrite the gradients again."""
        for param in self._overwritten:
            param.grad_req = "write"
        self._overwritten = []

    def _step(self, trainer: Any) -> None:
        samples = self._samples
        self._batches = self._samples = 0
        if self.max_norm is None:
            trainer.step(samples)
        else:
            trainer.allreduce_grads()
            self._clip(trainer, self.max_norm * samples)
            trainer.update(samples)
        if self.accumulate > 1:
            for param in trainer._params:
                param.zero_grad()

    def _clip(self, trainer: Any, max_norm: float) -> None:
        """Scale the gradients on each context, which are equal."""
        params = [param for param in trainer._params if param.grad_req != "null"]
        for gradients in zip(*(param.list_grad() for param in params), strict=True):
            _gluon.utils.clip_global_norm(gradients, max_norm)
