"""Lists of handlers: the user's and the default ones, in the order of their calls."""

from collections.abc import Sequence
from typing import Any

from opforge.plugin_api import EvalMetric

from .events import EventHandler, handler_list
from .metrics import expect_known

__all__ = ["in_order", "with_defaults"]


def with_defaults(
    given: Any, defaults: Any, known: Sequence[EvalMetric], *always: EventHandler
) -> list[Any]:
    """Return the user's handlers and a default handler of each missing kind, in order.

    User and default handlers in one training must use the same metrics.
    """
    own = handler_list(given)
    missing = [
        make() for kind, make in defaults if not any(isinstance(handler, kind) for handler in own)
    ]
    handlers = [*own, *always, *missing]
    if own and len(handlers) > len(own):
        for handler in handlers:
            expect_known(handler, known)
    return in_order(handlers)


def in_order(handlers: list[Any]) -> list[Any]:
    """Return handlers in the order in which they are called."""
    return sorted(handlers, key=lambda handler: getattr(handler, "priority", 0))
