"""Base classes of the six training events; a handler derives from those it handles.

A handler's `priority` orders the calls of one event, lowest first; without one it is 0.
"""

from collections.abc import Sequence
from typing import Any

__all__ = [
    "BatchBegin",
    "BatchEnd",
    "EpochBegin",
    "EpochEnd",
    "EventHandler",
    "TrainBegin",
    "TrainEnd",
    "handler_list",
]


class EventHandler:
    """Base class of all handlers."""


class TrainBegin(EventHandler):
    """Called once, before the first epoch."""

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Handle the start of training."""


class EpochBegin(EventHandler):
    """Called before each epoch, and before a validation."""

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Handle the start of an epoch."""


class BatchBegin(EventHandler):
    """Called before each batch."""

    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Handle the start of a batch, which is ``kwargs["batch"]``."""


class BatchEnd(EventHandler):
    """Called after the backward pass of each batch."""

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Handle the end of a batch; return True to end the epoch.

        `kwargs` has ``batch``, and as lists with an entry for each context ``pred``, ``label`` and
        ``loss``.
        """
        return False


class EpochEnd(EventHandler):
    """Called after each epoch, and after a validation."""

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Handle the end of an epoch; return True to stop training."""
        return False


class TrainEnd(EventHandler):
    """Called once, after the last epoch."""

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Handle the end of training."""


def handler_list(handlers: EventHandler | Sequence[EventHandler] | None) -> list[EventHandler]:
    """Return the user's handlers as a new list.

    Raises
    ------
    ValueError
        One of them is not a handler.
    """
    given = [handlers] if isinstance(handlers, EventHandler) else list(handlers or ())
    for handler in given:
        if not isinstance(handler, EventHandler):
            raise ValueError(
                f"event_handlers must be an EventHandler or a list of EventHandler, got {handler!r}"
            )
    return given
