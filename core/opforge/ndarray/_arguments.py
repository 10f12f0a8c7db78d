"""Argument check of functions that take arrays."""

from typing import Any

from ..native.array import Array

__all__ = ["expect_array"]


def expect_array(function: str, argument: str, value: Any) -> None:
    """Raise TypeError unless `value` is a dense array.

    Examples
    --------
    >>> expect_array("moveaxis", "tensor", 3)
    Traceback (most recent call last):
    TypeError: nd.moveaxis: 'tensor' must be an NDArray, got int; create one with nd.array()
    """
    if not isinstance(value, Array):
        raise TypeError(
            f"nd.{function}: {argument!r} must be an NDArray, got {type(value).__name__}; "
            "create one with nd.array()"
        )
