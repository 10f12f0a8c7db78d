"""`count_positions`: where a filter fits along an axis of its data."""

from typing import Any

from opforge.plugin_api import ShapeError

__all__ = ["count_positions"]


def count_positions(prop: Any, length: int, axis: int) -> int:
    """Return the number of positions of a filter along an axis; 0 if unknown.

    Parameters
    ----------
    prop : OperatorProp
        With the attributes kernel, stride, dilate and pad.
    length : int
        Elements of the data along the axis; 0 if unknown.
    axis : int
        Index into these attributes.

    Raises
    ------
    ShapeError
        The filter is larger than the data with its padding.
    """
    stride, dilate, pad = (
        values[axis] if values else default
        for values, default in ((prop.stride, 1), (prop.dilate, 1), (prop.pad, 0))
    )
    reach = dilate * (prop.kernel[axis] - 1) + 1
    if length and length + 2 * pad < reach:
        raise ShapeError(
            f"operator {prop.name!r}: the filter reaches over {reach} elements and does not fit "
            f"{length} with pad {pad}; pass a smaller kernel or more pad"
        )
    return (length + 2 * pad - reach) // stride + 1 if length else 0
