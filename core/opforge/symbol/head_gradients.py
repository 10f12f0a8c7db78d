"""Normalization of the output gradients that are passed to `Executor.backward`."""

from collections.abc import Sequence
from typing import Any

from ..base.errors import OpforgeError, ShapeError
from ..native.array import StoredArray

__all__ = ["head_gradients"]


def head_gradients(
    given: Any, names: Sequence[str], outputs: Sequence[Any], read: Sequence[bool]
) -> list[Any]:
    """Return the gradients of the outputs, converted to their types; None for a missing one.

    Parameters
    ----------
    given : NDArray, list or dict of NDArray, or None
        Elements of a list beyond the number of outputs are ignored, and a list may lack gradients
        at its end that are not read; an empty list counts as None.
    names : sequence of str
        Names of the outputs.
    outputs : sequence of NDArray
    read : sequence of bool
        Whether the backward pass reads the gradient of an output; unread ones are None.

    Raises
    ------
    OpforgeError
        A list lacks a gradient that is read.
    ShapeError
        A gradient does not have the shape of its output.
    """
    if given is None or (isinstance(given, list | tuple) and not given):
        return [None] * len(names)
    if isinstance(given, dict):
        given = [given.get(name) for name in names]
    elif not isinstance(given, list | tuple):
        given = [given]
    if any(read[len(given) :]):
        raise OpforgeError(
            f"backward: got {len(given)} out_grads for {len(names)} outputs; "
            "pass None for the gradient of a loss"
        )
    given = [*given, *[None] * (len(names) - len(given))]
    return [
        _fitting(grad, output, name) if is_read and grad is not None else None
        for name, grad, output, is_read in zip(names, given, outputs, read, strict=False)
    ]


def _fitting(grad: Any, output: Any, name: str) -> Any:
    """Return the gradient of an output, converted to its type."""
    if grad.shape != output.shape:
        raise ShapeError(
            f"backward: the gradient of {name!r} has shape {grad.shape}, the output {output.shape}"
        )
    if isinstance(grad, StoredArray):
        grad = grad.tostype("default")
    return grad if grad.dtype_code == output.dtype_code else grad.astype(output.dtype)
