"""The gradients of outputs that `Executor.backward` begins with, as a user may give them."""

from collections.abc import Sequence
from typing import Any

from ..base.errors import OpforgeError, ShapeError
from ..native.array import StoredArray

__all__ = ["head_gradients"]


def head_gradients(
    given: Any, names: Sequence[str], outputs: Sequence[Any], read: Sequence[bool]
) -> list[Any]:
    """Return the outputs' gradients, in the outputs' types; None where none was given.

    Parameters
    ----------
    given : NDArray, list or dict of NDArray, or None
        What a list has beyond the number of outputs is not used; an empty one gives none.
    names : sequence of str
        Those of the outputs.
    outputs : sequence of NDArray
    read : sequence of bool
        Whether a backward pass reads the gradient of an output; others are None.

    Raises
    ------
    OpforgeError
        A list is too short.
    ShapeError
        A gradient has another shape than its output.
    """
    if given is None or (isinstance(given, list | tuple) and not given):
        return [None] * len(names)
    if isinstance(given, dict):
        given = [given.get(name) for name in names]
    elif not isinstance(given, list | tuple):
        given = [given]
    if len(given) < len(names):
        raise OpforgeError(
            f"backward: got {len(given)} out_grads for {len(names)} outputs; "
            "None stands for the gradient of a loss"
        )
    return [
        _fitting(grad, output, name) if is_read and grad is not None else None
        for name, grad, output, is_read in zip(names, given, outputs, read, strict=False)
    ]


def _fitting(grad: Any, output: Any, name: str) -> Any:
    """Return the gradient of an output in its type."""
    if grad.shape != output.shape:
        raise ShapeError(
            f"backward: the gradient of {name!r} has shape {grad.shape}, the output {output.shape}"
        )
    if isinstance(grad, StoredArray):
        grad = grad.tostype("default")
    return grad if grad.dtype_code == output.dtype_code else grad.astype(output.dtype)
