"""`GradientUpdateHandler`: the optimizer's step after each batch."""

from typing import Any

from .events import BatchEnd

__all__ = ["GradientUpdateHandler"]


class GradientUpdateHandler(BatchEnd):
    """Updates the parameters after each batch; gradients are divided by the batch's size.

    Parameters
    ----------
    priority : float, default -2000
        It comes first, so that whatever else looks at the network sees the updated one.
    """

    def __init__(self, priority: float = -2000) -> None:
        self.priority = priority

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Let the trainer take a step."""
        losses = kwargs["loss"]
        losses = losses if isinstance(losses, list) else [losses]
        estimator.trainer.step(sum(loss.shape[0] for loss in losses))
        return False
