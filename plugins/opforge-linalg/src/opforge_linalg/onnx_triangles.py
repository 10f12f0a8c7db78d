"""Translation of diagonals and triangles of matrices to ONNX."""

from typing import Any

import numpy as np

__all__ = [
    "diagonal",
    "extractdiag",
    "extracttrian",
    "makediag",
    "maketrian",
    "sumlogdiag",
    "triangle",
]


def triangle(call: Any, a: Any, lower: bool, offset: int = 0) -> Any:
    """Return matrices with zeros outside a triangle.

    Parameters
    ----------
    call : Call
    a : Value
        Square matrices, one of the inputs.
    lower : bool
        Whether it is the lower triangle.
    offset : int, default 0
        Diagonal at which it ends.
    """
    call.require_fixed(a, -1)
    ones = np.ones((a.shape[-1],) * 2, bool)
    mask = np.tril(ones, offset) if lower else np.triu(ones, offset)
    return call.node("Where", call.constant(mask, bool), a, call.constant(0))


def diagonal(call: Any, a: Any) -> Any:
    """Return the main diagonal of square matrices, an input, as vectors."""
    return _take(call, a, *_of_diagonal(a.shape[-1], 0))


def sumlogdiag(prop: Any, call: Any) -> Any:
    """Translate sumlogdiag; that of a single matrix has the shape (1,)."""
    a = call.inputs[0]
    logarithms = call.node("Log", diagonal(call, a))
    return call.reduce("ReduceSum", logarithms, -1, keepdims=len(a.shape) == 2)


def extractdiag(prop: Any, call: Any) -> Any:
    """Translate extractdiag."""
    return _take(call, call.inputs[0], *_of_diagonal(call.outputs[0].shape[-1], prop.offset))


def makediag(prop: Any, call: Any) -> Any:
    """Translate makediag."""
    return _put(call, *_of_diagonal(call.inputs[0].shape[-1], prop.offset))


def extracttrian(prop: Any, call: Any) -> Any:
    """Translate extracttrian."""
    a = call.inputs[0]
    return _take(call, a, *_of_triangle(a.shape[-1], prop.offset, prop.lower))


def maketrian(prop: Any, call: Any) -> Any:
    """Translate maketrian."""
    return _put(call, *_of_triangle(call.outputs[0].shape[-1], prop.offset, prop.lower))


def _of_diagonal(length: int, offset: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns of a diagonal."""
    numbers = np.arange(length)
    return numbers + max(-offset, 0), numbers + max(offset, 0)


def _of_triangle(side: int, offset: int, lower: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns of a triangle in MXNet's order: an upper one is that by columns."""
    if offset < 0 or (offset == 0 and lower):
        return np.tril_indices(side, offset)
    columns, rows = np.tril_indices(side, -offset)
    return rows, columns


def _take(call: Any, a: Any, rows: np.ndarray, columns: np.ndarray) -> Any:
    call.require_fixed(a, -1, -2)
    return call.take_elements(a, a.shape, rows, columns)


def _put(call: Any, rows: np.ndarray, columns: np.ndarray) -> Any:
    vectors = call.inputs[0]
    call.require_fixed(vectors, -1)
    return call.put_elements(vectors, call.outputs[0].shape[-2:], rows, columns)
