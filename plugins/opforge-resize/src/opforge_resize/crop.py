"""Crop: a part of pictures, by size or as large as another array."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, Shape, ShapeError

from .pictures import expect_picture


class Crop(OperatorProp):
    """Cut a part out of pictures, of the size `h_w` or of that of a second input."""

    name = "Crop"
    category = "shape"
    variadic = "num_args"
    arguments = ("data",)
    argument_docs = {"data": "(n, channels, height, width), and an array of the wanted size"}
    num_args = Attribute(int, default=1, ge=1, le=2, doc="Number of inputs; set by the call.")
    offset = Attribute(Shape, default=(0, 0), ge=0, doc="Row and column where the part begins.")
    h_w = Attribute(Shape, default=(0, 0), ge=0, doc="Height and width, where there is one input.")
    center_crop = Attribute(bool, default=False, doc="Take the middle instead of `offset`.")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return data's shape with the wanted height and width."""
        if not all(in_shape):
            return in_shape, [None], []
        data = expect_picture(self.name, in_shape[0])
        corner, size = self._part([tuple(shape) for shape in in_shape])
        for name, begin, length, room in zip(
            ("height", "width"), corner, size, data[2:], strict=True
        ):
            if room and length and (begin < 0 or begin + length > room):
                raise ShapeError(
                    f"operator 'Crop': a part of {length} from {begin} on does not fit the {name} "
                    f"of data of shape {data}"
                )
        return in_shape, [(*data[:2], *size)], []

    def _part(self, shapes: list[tuple[int, ...]]) -> tuple[list[int], tuple[int, ...]]:
        """Return where the part begins, and its size."""
        if len(shapes) > 1:
            size = expect_picture(self.name, shapes[1], "the second input")[2:]
        else:
            size = self.h_w
            if len(size) != 2 or 0 in size:
                raise ShapeError(
                    f"operator 'Crop': h_w is {size}, expected a height and a width, both at least "
                    "1, where there is no second input"
                )
        if len(self.offset) != 2:
            raise ShapeError(
                f"operator 'Crop': offset is {self.offset}, expected a row and a column"
            )
        middle = [(n - m) // 2 for n, m in zip(shapes[0][2:], size, strict=True)]
        return (middle if self.center_crop else list(self.offset)), size

    def compose(self, F: Any, *inputs: Any) -> Any:
        """Slice; the second input gives its shape alone."""
        shapes = [tuple(item.shape) for item in inputs]
        self.infer_shape(shapes)
        (row, column), (height, width) = self._part(shapes)
        begin, end = (None, None, row, column), (None, None, row + height, column + width)
        return F.slice(inputs[0], begin=begin, end=end)
