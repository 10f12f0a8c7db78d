"""`GradientUpdateHandler`: the optimizer's step after each batch."""

from typing import Any

from .events import BatchEnd

__all__ = ["GradientUpdateHandler"]


class GradientUpdateHandler(BatchEnd):
    """Handler that updates parameters after each batch, with gradients divided by the batch size.

    Parameters
    ----------
    priority : float, default -2000
        Runs first, so that other handlers see the updated network.
    """

    def __init__(self, priority: float = -2000) -> None:
        self.priority = priority

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Run an optimizer step."""
        losses = kwargs["loss"]
        losses = losses if isinstance(losses, list) else [losses]
        estimator.trainer.step(sum(loss.shape[0] for loss in losses))
        return False
