"""Input checks shared by all operators on images."""

from typing import Any

from opforge.plugin_api import ShapeError, native

LIBRARY = native.load(f"{__package__}._native")


def expect_image(operator: str, shape: Any, name: str = "data") -> tuple[int, ...]:
    """Return `shape` as a tuple; raise ShapeError unless it is (n, channels, height, width).

    Parameters
    ----------
    operator, name : str
        For the error.
    shape : sequence of int
    """
    if len(shape) != 4:
        raise ShapeError(
            f"operator '{operator}': {name} has shape {tuple(shape)}; expected four dimensions "
            "(n, channels, height, width)"
        )
    return tuple(shape)
