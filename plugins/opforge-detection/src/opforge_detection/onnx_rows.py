"""Nodes of ONNX for rows of boxes, one after another for each image: order and suppression.

Arrays have the shapes (images, rows) or (images, rows, columns).
"""

from typing import Any

import numpy as np

__all__ = ["column", "columns", "count_rows", "suppress", "take_rows"]

_INT = np.int64


def columns(call: Any, rows: str, begin: int, end: int) -> str:
    """Return some columns."""
    return str(call.node("Slice", rows, *map(call.integers, (begin, end, 2))))


def column(call: Any, rows: str, index: int) -> str:
    """Return a column without its axis."""
    return str(call.node("Gather", rows, call.constant(index, _INT), axis=2))


def count_rows(call: Any, rows: str) -> str:
    """Return the number of rows of an image, as a vector of one element."""
    return str(call.node("Gather", call.node("Shape", rows), call.integers(1), axis=0))


def take_rows(call: Any, rows: str, order: str, width: int) -> str:
    """Return the rows of each image in an order.

    Parameters
    ----------
    call : Call
    rows, order : str
    width : int
        Number of columns.
    """
    indices = call.node("Unsqueeze", order, call.integers(2))
    whole = call.node("Tile", indices, call.integers(1, 1, width))
    return str(call.node("GatherElements", rows, whole, axis=1))


def suppress(
    call: Any,
    boxes: str,
    considered: str,
    ids: str | None,
    threshold: float,
    are_centered: bool = False,
) -> str:
    """Return for each row a rank that descends from the first one, or 0 if it is suppressed.

    NonMaxSuppression gets the ranks as scores: runtimes then agree on the order of boxes with equal
    scores.

    Parameters
    ----------
    call : Call
    boxes : str
        By descending score.
    considered : str
        Which rows are boxes.
    ids : str, optional
        Classes of the boxes, which suppress only those of their own class; None: any.
    threshold : float
        Largest overlap.
    are_centered : bool, default False
        Whether boxes are centers and sides, and not corners.
    """
    count = call.node("Squeeze", count_rows(call, considered), call.integers(0))
    positions = call.node("Range", call.constant(0, _INT), count, call.constant(1, _INT))
    ranks = call.cast(call.node("Sub", count, positions), np.float32)
    scores = call.node("Where", considered, ranks, _zero(call))
    scores = call.node("Unsqueeze", scores, call.integers(1))
    chosen = call.node(
        "NonMaxSuppression",
        call.cast(boxes, np.float32),
        scores if ids is None else _by_class(call, ids, scores),
        count,
        call.constant(threshold, np.float32),
        call.constant(0.5, np.float32),
        center_point_box=int(are_centered),
    )
    where = call.node("Gather", chosen, call.integers(0, 2), axis=1)
    number = call.node("Gather", call.node("Shape", chosen), call.integers(0), axis=0)
    ones = call.node("Expand", call.constant(1, np.float32), number)
    none = call.node("Expand", _zero(call), call.node("Shape", considered))
    return str(call.node("Mul", call.node("ScatterND", none, where, ones), ranks))


def _by_class(call: Any, ids: str, scores: str) -> str:
    """Return the scores with an axis of classes, each of which has zeros for the others."""
    numbers = call.cast(ids, _INT)
    first, last = (
        call.reduce(kind, numbers, 0, 1, keepdims=False) for kind in ("ReduceMin", "ReduceMax")
    )
    one = call.constant(1, _INT)
    classes = call.node("Range", first, call.node("Add", last, one), one)
    of_class = call.node("Reshape", classes, call.integers(1, -1, 1))
    is_of_class = call.node("Equal", call.node("Unsqueeze", numbers, call.integers(1)), of_class)
    return str(call.node("Where", is_of_class, scores, _zero(call)))


def _zero(call: Any) -> str:
    return str(call.constant(0, np.float32))
