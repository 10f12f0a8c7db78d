"""Declaration of BilinearResize2D, which `_native.c` implements."""

from typing import Any

from opforge.plugin_api import Attribute, ShapeError, native

from .images import LIBRARY, expect_image

#: Mode -> function from a length, and whether it is odd, to the nearest length of that parity.
_TO_PARITY = {
    "to_even_down": lambda length, odd: length - odd,
    "to_even_up": lambda length, odd: length + odd,
    "to_odd_down": lambda length, odd: length - 1 + odd,
    "to_odd_up": lambda length, odd: length + 1 - odd,
}


class BilinearResize2D(native.NativeOperator):
    """Resize images by bilinear interpolation.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[[[0, 2], [4, 6]]]])
    >>> nd.contrib.BilinearResize2D(x, height=3, width=3).asnumpy().tolist()
    [[[[0.0, 1.0, 2.0], [2.0, 3.0, 4.0], [4.0, 5.0, 6.0]]]]
    """

    name = "_contrib_BilinearResize2D"
    library = LIBRARY
    dtypes = ("floating", "bfloat16")
    category = "shape"
    arguments = ("data", "like")
    argument_docs = {
        "data": "(n, channels, height, width), floating",
        "like": "an array with the height and width of the result, in mode 'like'",
    }
    height = Attribute(int, default=1, ge=1, le=10000, doc="Height of the result, in mode 'size'.")
    width = Attribute(int, default=1, ge=1, le=10000, doc="Width of the result, in mode 'size'.")
    scale_height = Attribute(
        float, default=None, optional=True, gt=0, doc="Factor of the height, instead of `height`."
    )
    scale_width = Attribute(
        float, default=None, optional=True, gt=0, doc="Factor of the width, instead of `width`."
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
        doc="Source of the size: numbers or factors, a second input, or rounding to odd or even.",
    )
    align_corners = Attribute(
        bool, default=True, doc="Whether the corner pixels of input and result coincide."
    )
    saves = ()

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs; only mode 'like' has a second."""
        return ["data", "like"] if self.mode == "like" else ["data"]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the result."""
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
                f"operator '{self.name}': scale_height is {self.scale_height} and scale_width "
                f"{self.scale_width}; mode {self.mode!r} requires both. Pass both"
            )
        sizes = [
            length and self._size(length, size, scale)
            for length, size, scale in (
                (data[2], self.height, self.scale_height),
                (data[3], self.width, self.scale_width),
            )
        ]
        return in_shape, [(*data[:2], *sizes)], []

    def _size(self, length: int, size: int, scale: float | None) -> int:
        """Return the length of an axis of the result; `size` is the attribute for it."""
        odd = length % 2
        if self.mode in _TO_PARITY:
            size = _TO_PARITY[self.mode](length, odd)
        elif scale is not None and self.mode == "odd_scale" and odd:
            size = int((length - 1) * scale) + 1
        elif scale is not None:
            size = int(length * scale)
        if not 1 <= size < 2**31:
            raise ShapeError(
                f"operator '{self.name}': mode {self.mode!r} turns an axis of {length} elements "
                f"into an axis of {size} elements; expected 1 to {2**31 - 1}. Pass another size"
            )
        return size
