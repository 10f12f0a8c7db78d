"""Code shared by the declarations: types, zero gradients, and errors of shapes."""

from typing import Any

from opforge.plugin_api import Floating, ShapeError, native

from .library import LIBRARY

Dims = tuple[int, ...]


class Detector(Floating, native.NativeOperator):
    """Base of all operators here: their arrays have one floating type."""

    library = LIBRARY


class WithoutGradient(Detector):
    """Base of operators that may stand in what is differentiated; their inputs get zeros."""

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return no gradient for any input."""
        return [None for _ in in_data]


def expect_shape(operator: Any, argument: str, shape: Dims, expected: str, fits: bool) -> None:
    """Reject the shape of an argument unless it fits.

    Parameters
    ----------
    operator : OperatorProp
    argument : str
    shape : tuple of int
        An unknown one, ``()``, is not rejected.
    expected : str
        What it should be, for instance ``"(boxes, 4)"``.
    fits : bool
    """
    if shape and not fits:
        raise ShapeError(
            f"operator '{operator.name}': {argument} has shape {shape}, expected {expected}"
        )


def may_be(length: int, *allowed: int) -> bool:
    """Return whether a length is one of `allowed`, or is not known yet (0)."""
    return length in (0, *allowed)
