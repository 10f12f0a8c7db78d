"""Base classes of the declarations, and checks of shapes."""

from typing import Any

from opforge.plugin_api import ShapeError, native

from .library import LIBRARY

Dims = tuple[int, ...]


class DetectionOperator(native.NativeOperator):
    """Base class of all operators of this plugin, whose arrays share a floating type."""

    library = LIBRARY
    dtypes = ("floating", "bfloat16")


class ZeroGradientOperator(DetectionOperator):
    """Base class of operators whose inputs have zero gradients."""

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return no gradient for any input."""
        return [None for _ in in_data]


def expect_shape(operator: Any, argument: str, shape: Dims, expected: str, fits: bool) -> None:
    """Raise ShapeError unless the shape of an argument fits or is unknown.

    Parameters
    ----------
    operator : OperatorProp
    argument : str
    shape : tuple of int
        ``()`` if unknown.
    expected : str
        Description of the expected shape, such as ``"(boxes, 4)"``.
    fits : bool
    """
    if shape and not fits:
        raise ShapeError(
            f"operator '{operator.name}': {argument} has shape {shape}; expected {expected}"
        )


def may_equal(length: int, *allowed: int) -> bool:
    """Return whether a length is one of `allowed`, or unknown (0)."""
    return length in (0, *allowed)
