"""Text and HTML representations of arrays for consoles, format strings and notebooks."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..base.html_tables import html_cell, html_table, html_text
from ..native.array import numpy_alias

__all__ = ["ReprMixin"]

#: Matrices of up to this many rows and columns are shown as tables of numbers.
_NUMBERS = 12
#: Maximum number of rows and columns sampled from larger matrices for an image.
_IMAGE_SIZE = 24

_LOW = "64,120,192"
_HIGH = "208,80,64"
_STRIPES = "background:repeating-linear-gradient(45deg,#999 0 2px,transparent 2px 5px)"


def _printable(array: Any) -> np.ndarray:
    """Return the elements as NumPy numbers; it aligns those of bfloat16 only as float32."""
    values: np.ndarray = array.asnumpy()
    return values if values.dtype.kind in "biuf" else values.astype(np.float32)


class ReprMixin:
    """Methods that represent an array as text or HTML."""

    __slots__ = ()

    def __repr__(self: Any) -> str:
        shape = "x".join(map(str, self.shape))
        return f"\n{_printable(self)}\n<{type(self).__name__} {shape} @{self.context}>"

    def __format__(self: Any, spec: str) -> str:
        """Format the only element of an array; without a format, return `str(self)`."""
        if not spec:
            return str(self)
        if self.size != 1:
            raise TypeError(
                f"the format {spec!r} is for one number, and this array has shape {self.shape}: "
                "format its elements, or asnumpy()"
            )
        return format(self.item(), spec)

    def _repr_html_(self: Any) -> str:
        """Return HTML for notebooks: a table of a small matrix, an image of a large one."""
        shape = "x".join(map(str, self.shape))
        head = html_text(f"{type(self).__name__} {shape} {self.dtype.__name__} @{self.context}")
        if self.ndim not in (1, 2) or self.size == 0:
            return head + html_text(_printable(self))
        matrix = numpy_alias(self).reshape(-1, self.shape[-1])
        if max(matrix.shape) <= _NUMBERS:
            return head + html_table(_cells(matrix))
        if self.ndim == 1:
            return head + html_text(_printable(self))
        rows, columns = (_sample_positions(length) for length in matrix.shape)
        image = html_table(_image_rows(matrix[np.ix_(rows, columns)]))
        return head + image + html_text(_printable(self))


def _sample_positions(length: int) -> np.ndarray:
    """Return evenly spaced positions, at most as many as an image has rows or columns."""
    return np.unique(np.linspace(0, length - 1, min(length, _IMAGE_SIZE)).astype(int))


def _cells(matrix: np.ndarray) -> Iterator[list[str]]:
    """Yield the rows of a table of numbers on colored backgrounds."""
    for numbers, colors in zip(matrix.tolist(), _colors(matrix), strict=True):
        yield [html_cell(_brief(x), color) for x, color in zip(numbers, colors, strict=True)]


def _image_rows(matrix: np.ndarray) -> Iterator[list[str]]:
    """Yield the rows of an image."""
    for colors in _colors(matrix):
        yield [f'<td style="padding:4px;{color}">' for color in colors]


def _colors(matrix: np.ndarray) -> list[list[str]]:
    """Return the style of each element; values that are not finite are striped."""
    values = matrix.astype(np.float64)
    finite = values[np.isfinite(values)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    return [[_style(value, low, high) for value in row] for row in values.tolist()]


def _brief(number: float) -> str:
    return f"{number:.4g}" if isinstance(number, float) else str(number)


def _style(value: float, low: float, high: float) -> str:
    """Return the color of a value in a range, by sign if the range has both signs."""
    if not np.isfinite(value):
        return _STRIPES
    if low < 0 < high:
        strength = abs(value) / max(-low, high)
    else:
        strength = (value - low) / (high - low) if high > low else 0.0
    color = _LOW if value < 0 else _HIGH
    return f"background:rgba({color},{0.8 * strength:.2f})"
