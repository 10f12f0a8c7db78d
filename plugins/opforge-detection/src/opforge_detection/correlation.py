"""Correlation of the patches of two images."""

from typing import Any

from opforge.plugin_api import Attribute, AttributeValueError, ShapeError

from .base import DetectionOperator, expect_shape


class Correlation(DetectionOperator):
    """Correlate each patch of an image with nearby patches of another image.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.Correlation(nd.ones((1, 2, 5, 6)), nd.ones((1, 2, 5, 6)), max_displacement=1).shape
    (1, 9, 3, 4)
    """

    name = "Correlation"
    category = "linear"
    arguments = ("data1", "data2")
    argument_docs = {
        "data1": "(n, channels, height, width), floating",
        "data2": "same shape as data1",
    }
    saves = ("inputs",)
    kernel_size = Attribute(int, default=1, ge=1, le=2147483647, doc="Size of a patch; odd.")
    max_displacement = Attribute(
        int, default=1, ge=0, le=2147483647, doc="Maximum displacement of patches of `data2`."
    )
    stride1 = Attribute(
        int, default=1, ge=1, le=2147483647, doc="Stride of the patches of `data1`."
    )
    stride2 = Attribute(
        int, default=1, ge=1, le=2147483647, doc="Stride of the displacements of `data2`."
    )
    pad_size = Attribute(int, default=0, ge=0, le=2147483647, doc="Zero padding of both images.")
    is_multiply = Attribute(
        bool,
        default=True,
        doc="Whether to multiply patches; otherwise sum their absolute differences.",
    )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape with one channel per displacement."""
        if self.kernel_size % 2 == 0:
            raise AttributeValueError(
                f"operator '{self.name}': kernel_size is {self.kernel_size}; expected an odd number"
            )
        shapes = [tuple(shape) for shape in in_shape]
        for name, shape in zip(self.arguments, shapes, strict=True):
            expect_shape(self, name, shape, "(n, channels, height, width)", len(shape) == 4)
        data = shapes[0] or shapes[1]
        if not data:
            return shapes, [None], []
        if shapes[1]:
            fits = all(a in (0, b) or b == 0 for a, b in zip(data, shapes[1], strict=True))
            expect_shape(self, "data2", shapes[1], f"{data}, the shape of data1", fits)
            data = tuple(a or b for a, b in zip(data, shapes[1], strict=True))
        shifts = 2 * (self.max_displacement // self.stride2) + 1
        sizes = [length and self._output_size(length) for length in data[2:]]
        return [data, data], [(data[0], shifts * shifts, *sizes)], []

    def _output_size(self, length: int) -> int:
        """Return the number of patches along an axis."""
        rest = length + 2 * self.pad_size - 2 * self.max_displacement - self.kernel_size + 1
        if rest < 1:
            raise ShapeError(
                f"operator '{self.name}': patches of size {self.kernel_size} displaced by "
                f"{self.max_displacement} do not fit an axis of length {length} with pad_size="
                f"{self.pad_size}; expected {length - rest + 1} or more"
            )
        return -(-rest // self.stride1)
