"""Functions that losses need and that plugins provide, with a composition for their absence."""

from typing import Any

from ...base.errors import OperatorNotFoundError

__all__ = ["log_softmax", "relu", "softplus"]


def log_softmax(F: Any, x: Any, axis: int) -> Any:
    """Return the logarithm of the softmax along `axis`."""
    try:
        operator = F.log_softmax
    except (OperatorNotFoundError, AttributeError):
        shifted = F.broadcast_sub(x, F.BlockGrad(F.max(x, axis=axis, keepdims=True)))
        total = F.sum(F.exp(shifted), axis=axis, keepdims=True)
        return F.broadcast_sub(shifted, F.log(total))
    return operator(x, axis=axis)


def relu(F: Any, x: Any) -> Any:
    """Return the positive part of `x`."""
    try:
        operator = F.relu
    except (OperatorNotFoundError, AttributeError):
        return F.maximum(x, 0)
    return operator(x)


def softplus(F: Any, x: Any) -> Any:
    """Return ``log(1 + exp(x))`` without overflow; its gradient at 0 is exactly 1/2."""
    magnitude = F.abs(x)
    return (x + magnitude) * 0.5 + F.log1p(F.exp(-magnitude))
