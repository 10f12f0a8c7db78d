"""The declaration of Crop: a part of images; `_native.c` computes it."""

from typing import Any

from opforge.plugin_api import Attribute, Shape, ShapeError, native

from .images import LIBRARY, expect_image, floating_types


class Crop(native.NativeOperator):
    """Cut a part out of images, of the size `h_w` or of that of a second input."""

    name = "Crop"
    library = LIBRARY
    category = "shape"
    variadic = "num_args"
    arguments = ("data",)
    argument_docs = {"data": "(n, channels, height, width), and an array of the wanted size"}
    num_args = Attribute(int, default=1, ge=1, le=2, doc="Number of inputs; set by the call.")
    offset = Attribute(
        Shape, default=(0, 0), ge=0, le=2147483647, doc="Row and column where the part begins."
    )
    h_w = Attribute(Shape, default=(0, 0), ge=0, doc="Height and width, where there is one input.")
    center_crop = Attribute(bool, default=False, doc="Take the middle instead of `offset`.")
    saves = ()

    def infer_shape(self, in_shape: Any) -> Any:
        """Return data's shape with the wanted height and width."""
        if not all(in_shape):
            return in_shape, [None], []
        data = expect_image(self.name, in_shape[0])
        size = self._size(in_shape)
        if len(self.offset) != 2:
            raise ShapeError(
                f"operator 'Crop': offset is {self.offset}, expected a row and a column"
            )
        for axis, length, offset in zip((2, 3), size, self.offset, strict=True):
            begin = 0 if self.center_crop else offset
            if data[axis] and length and begin + length > data[axis]:
                raise ShapeError(
                    f"operator 'Crop': a part of {length} from {begin} on does not fit axis {axis} "
                    f"of data of shape {data}; pass a smaller h_w or offset"
                )
        return in_shape, [(*data[:2], *size)], []

    def infer_type(self, in_type: Any) -> Any:
        """Return the type of the data."""
        return floating_types(self.name, in_type)

    def _size(self, shapes: Any) -> tuple[int, ...]:
        """Return the wanted height and width."""
        if len(shapes) > 1:
            return expect_image(self.name, shapes[1], "the second input")[2:]
        if len(self.h_w) != 2 or 0 in self.h_w:
            raise ShapeError(
                f"operator 'Crop': h_w is {self.h_w}, expected a height and a width, both at least "
                "1, where there is no second input"
            )
        return self.h_w
