"""Gradients of copied and pickled arrays.

The tape looks up gradients by array object, so a copy has none until it is marked as well.
"""

import copy
from typing import Any

from ..native.dispatch import tape

__all__ = ["copy_gradient", "gradient_state", "restore_gradient"]


def gradient_state(source: Any) -> tuple[Any, ...] | None:
    """Return the gradient, its request and freshness; None if `attach_grad` was not called."""
    request = tape.request_of(source)
    if request is None:
        return None
    return tape.made_grad_of(source), request, tape.is_fresh(source)


def restore_gradient(result: Any, state: tuple[Any, ...] | None) -> None:
    """Attach a gradient that `gradient_state` returned."""
    if state is not None:
        gradient, request, fresh = state
        if gradient is None:  # allocated on first use
            tape.mark_lazily(result, request)
        else:
            tape.mark(result, gradient, request)
        tape.set_fresh(result, fresh)


def copy_gradient(result: Any, source: Any, memo: Any) -> None:
    """Attach a deep copy of the gradient of `source`, if it has one, to its copy `result`."""
    if not isinstance(memo, dict | None):
        raise TypeError(f"__deepcopy__: argument 'memo' must be a dict, got {type(memo).__name__}")
    restore_gradient(result, copy.deepcopy(gradient_state(source), memo))
