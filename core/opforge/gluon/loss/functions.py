"""Functions for losses that plugins provide, with fallbacks composed of core operators."""

from typing import Any

from ...base.errors import OperatorNotFoundError

__all__ = ["log_softmax", "relu", "softmax_cross_entropy", "softplus"]


_missing: set[tuple[int, str]] = set()  # unsuccessful lookups, which are slow


def _find_operator(F: Any, name: str) -> Any:
    """Return the operator `name` of the namespace `F`, or None if no plugin provides it.

    A failed lookup is cached: the fallback gives the same numbers as a plugin installed later.
    """
    if (id(F), name) in _missing:
        return None
    try:
        return getattr(F, name)
    except (OperatorNotFoundError, AttributeError):
        _missing.add((id(F), name))
        return None


def log_softmax(F: Any, x: Any, axis: int) -> Any:
    """Return the logarithm of the softmax along `axis`."""
    operator = _find_operator(F, "log_softmax")
    if operator is None:
        shifted = F.broadcast_sub(x, F.BlockGrad(F.max(x, axis=axis, keepdims=True)))
        total = F.sum(F.exp(shifted), axis=axis, keepdims=True)
        return F.broadcast_sub(shifted, F.log(total))
    return operator(x, axis=axis)


def softmax_cross_entropy(F: Any, x: Any, label: Any) -> Any:
    """Return the cross entropy of each row of `x` against a class index, in one pass.

    Returns None if no plugin provides it, or unless `x` has rows with one label each.
    """
    shape, labels = getattr(x, "shape", ()), getattr(label, "shape", None)
    if len(shape) != 2 or labels != shape[:1] or 0 in shape:
        return None
    operator = _find_operator(F, "_softmax_cross_entropy")
    return None if operator is None else operator(x, label)


def relu(F: Any, x: Any) -> Any:
    """Return the positive part of `x`."""
    operator = _find_operator(F, "relu")
    return F.maximum(x, 0) if operator is None else operator(x)


def softplus(F: Any, x: Any) -> Any:
    """Return ``log(1 + exp(x))`` without overflow; its gradient at 0 is exactly 1/2."""
    magnitude = F.abs(x)
    return (x + magnitude) * 0.5 + F.log1p(F.exp(-magnitude))
