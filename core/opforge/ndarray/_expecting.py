"""The check that functions on arrays make of what they are given as an array."""

from typing import Any

from ..native.array import Array

__all__ = ["expect_array"]


def expect_array(function: str, argument: str, value: Any) -> None:
    """Raise TypeError where `value` is no array.

    Examples
    --------
    >>> expect_array("moveaxis", "tensor", 3)
    Traceback (most recent call last):
    TypeError: nd.moveaxis: 'tensor' must be an NDArray, got int; nd.array() makes one
    """
    if not isinstance(value, Array):
        raise TypeError(
            f"nd.{function}: {argument!r} must be an NDArray, got {type(value).__name__}; "
            "nd.array() makes one"
        )
