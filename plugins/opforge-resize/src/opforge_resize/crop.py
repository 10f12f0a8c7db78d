"""Declaration of Crop, which `_native.c` implements."""

from typing import Any

from opforge.plugin_api import Attribute, Shape, ShapeError, native

from .images import LIBRARY, expect_image


class Crop(native.NativeOperator):
    """Crop images to the size `h_w` or to that of a second input.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.arange(16).reshape((1, 1, 4, 4))
    >>> nd.Crop(x, offset=(1, 1), h_w=(2, 2)).asnumpy().tolist()
    [[[[5.0, 6.0], [9.0, 10.0]]]]
    """

    name = "Crop"
    library = LIBRARY
    dtypes = ("floating", "bfloat16")
    category = "shape"
    variadic = "num_args"
    arguments = ("data",)
    argument_docs = {
        "data": "(n, channels, height, width), and optionally an array with the size of the result"
    }
    num_args = Attribute(int, default=1, ge=1, le=2, doc="Number of inputs; set by the call.")
    offset = Attribute(
        Shape, default=(0, 0), ge=0, le=2147483647, doc="First row and column of the crop."
    )
    h_w = Attribute(Shape, default=(0, 0), ge=0, doc="Height and width, if there is one input.")
    center_crop = Attribute(bool, default=False, doc="Crop the center instead of using `offset`.")
    saves = ()

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the data's shape with the requested height and width."""
        if not all(in_shape):
            return in_shape, [None], []
        data = expect_image(self.name, in_shape[0])
        size = self._size(in_shape)
        if len(self.offset) != 2:
            raise ShapeError(f"operator 'Crop': offset is {self.offset}; expected (row, column)")
        for axis, length, offset in zip((2, 3), size, self.offset, strict=True):
            begin = 0 if self.center_crop else offset
            if data[axis] and length and begin + length > data[axis]:
                raise ShapeError(
                    f"operator 'Crop': a crop of {length} from {begin} on does not fit axis {axis} "
                    f"of data of shape {data}. Pass a smaller h_w or offset"
                )
        return in_shape, [(*data[:2], *size)], []

    def _size(self, shapes: Any) -> tuple[int, ...]:
        """Return the height and width of the result."""
        if len(shapes) > 1:
            return expect_image(self.name, shapes[1], "the second input")[2:]
        if len(self.h_w) != 2 or 0 in self.h_w:
            raise ShapeError(
                f"operator 'Crop': h_w is {self.h_w}; expected a height and a width of at least 1. "
                "Pass h_w, or a second input of the size"
            )
        return self.h_w
