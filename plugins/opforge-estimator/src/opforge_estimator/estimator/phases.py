"""Phases of a training loop: waiting for data, the batch processor, and handlers.

Each is timed under the category "Estimator" while the profiler runs.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from opforge.plugin_api import timed

from .gradient_update import GradientUpdateHandler
from .measuring import MetricHandler, ValidationHandler

__all__ = ["CATEGORY", "FIT_BATCH", "KNOWN", "fit_batch", "run_handlers", "timed_batches"]

CATEGORY = "Estimator"
FIT_BATCH = "fit_batch"
_DATA = "data"
#: Phases of handlers that every training has; others are called by the name of their class.
_HANDLERS = {
    GradientUpdateHandler: "update",
    MetricHandler: "metrics",
    ValidationHandler: "validation",
}
KNOWN = (_DATA, *_HANDLERS.values())


def timed_batches(data: Iterable[Any]) -> Iterator[Any]:
    """Yield the batches of a loader, and time how long it takes to get each."""
    with timed(CATEGORY, _DATA):
        batches = iter(data)
    end = object()
    while True:
        with timed(CATEGORY, _DATA):
            batch = next(batches, end)
        if batch is end:
            return
        yield batch


def fit_batch(estimator: Any, batch: Any) -> Any:
    """Run the batch processor of a training on a batch."""
    with timed(CATEGORY, FIT_BATCH):
        return estimator.batch_processor.fit_batch(estimator, batch, estimator.batch_axis)


def run_handlers(event: str, handlers: Iterable[Any], estimator: Any, **given: Any) -> bool:
    """Call the handlers of an event, all of them; return whether one ends the loop."""
    is_over = False
    for handler in handlers:
        with timed(CATEGORY, _phase(handler)):
            is_over |= bool(getattr(handler, event)(estimator, **given))
    return is_over


def _phase(handler: Any) -> str:
    kinds = (name for kind, name in _HANDLERS.items() if isinstance(handler, kind))
    return next(kinds, type(handler).__name__)
