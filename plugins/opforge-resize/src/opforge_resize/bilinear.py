"""The declaration of BilinearResize2D; `_native.c` computes it."""

from typing import Any

from opforge.plugin_api import Attribute, ShapeError, native

from .images import LIBRARY, expect_image, floating_types

#: Mode -> the nearest length of a kind, from a length and whether it is odd.
_TO_PARITY = {
    "to_even_down": lambda length, odd: length - odd,
    "to_even_up": lambda length, odd: length + odd,
    "to_odd_down": lambda length, odd: length - 1 + odd,
    "to_odd_up": lambda length, odd: length + 1 - odd,
}


class BilinearResize2D(native.NativeOperator):
    """Resize images by linear interpolation along both axes."""

    name = "_contrib_BilinearResize2D"
    library = LIBRARY
    category = "shape"
    arguments = ("data", "like")
    argument_docs = {
        "data": "(n, channels, height, width), floating",
        "like": "an array of the wanted height and width, in mode 'like'",
    }
    height = Attribute(int, default=1, ge=1, le=10000, doc="Height of the result, in mode 'size'.")
    width = Attribute(int, default=1, ge=1, le=10000, doc="Width of the result, in mode 'size'.")
    scale_height = Attribute(
        float, default=None, optional=True, gt=0, doc="Factor of the height, instead of it."
    )
    scale_width = Attribute(
        float, default=None, optional=True, gt=0, doc="Factor of the width, instead of it."
    )
    mode = Attribute(
        str,
        default="size",
        choices=(
            "like",
            "odd_scale",
            "size",
            "to_even_down",
            "to_even_up",
            "to_odd_down",
            "to_odd_up",
        ),
        doc="What gives the size: numbers or factors, a second input, or the nearest odd or even.",
    )
    align_corners = Attribute(
        bool, default=True, doc="Whether the first and last elements stay where they are."
    )
    saves = ()

    def list_arguments(self) -> list[str]:
        """Return the names; only mode 'like' has a second."""
        return ["data", "like"] if self.mode == "like" else ["data"]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the wanted size."""
        if not all(in_shape):
            return in_shape, [None], []
        data = expect_image(self.name, in_shape[0])
        if self.mode == "like":
            like = expect_image(self.name, in_shape[1], "like")
            return in_shape, [(*data[:2], *like[2:])], []
        if (self.scale_height is None) != (self.scale_width is None) or (
            self.mode == "odd_scale" and self.scale_height is None
        ):
            raise ShapeError(
                f"operator '{self.name}': mode {self.mode!r} needs scale_height and scale_width, "
                f"got {self.scale_height} and {self.scale_width}"
            )
        sizes = [
            length and self._size(length, wanted, scale)
            for length, wanted, scale in (
                (data[2], self.height, self.scale_height),
                (data[3], self.width, self.scale_width),
            )
        ]
        return in_shape, [(*data[:2], *sizes)], []

    def _size(self, length: int, wanted: int, scale: float | None) -> int:
        """Return the length of an axis of the result."""
        odd = length % 2
        if self.mode in _TO_PARITY:
            size = _TO_PARITY[self.mode](length, odd)
        elif scale is None:
            size = wanted
        elif self.mode == "odd_scale" and odd:
            size = int((length - 1) * scale) + 1
        else:
            size = int(length * scale)
        if not 1 <= size < 2**31:
            raise ShapeError(
                f"operator '{self.name}': mode {self.mode!r} makes an axis of {size} elements of "
                f"one of {length}, expected 1 to {2**31 - 1}"
            )
        return size

    def infer_type(self, in_type: Any) -> Any:
        """Return the type of the data."""
        return floating_types(self.name, in_type)
