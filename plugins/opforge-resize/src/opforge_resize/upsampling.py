"""UpSampling, and the two native operators that it is composed of."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, ShapeError, native

from .images import LIBRARY, expect_image, floating_types


class RepeatPixels(native.NativeOperator):
    """Repeat each pixel of images along both axes."""

    name = "_repeat_pixels"
    library = LIBRARY
    scale = Attribute(int, ge=1, le=32768, doc="How often, along each axis.")
    saves = ()

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of larger images."""
        n, c, h, w = expect_image(self.name, in_shape[0])
        return in_shape, [(n, c, h * self.scale, w * self.scale)], []

    def infer_type(self, in_type: Any) -> Any:
        """Return the type of the data."""
        return floating_types(self.name, in_type)


class SpreadPixels(native.NativeOperator):
    """Put weights, times each pixel, onto larger images, each channel by itself."""

    name = "_spread_pixels"
    library = LIBRARY
    arguments = ("data", "weight")
    scale = Attribute(int, ge=1, le=1024, doc="Steps between the places of neighbours.")
    saves = ("inputs",)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of larger images, and of one filter for each channel."""
        n, c, h, w = expect_image(self.name, in_shape[0])
        size = 2 * self.scale - self.scale % 2
        out = (n, c, h * self.scale, w * self.scale)
        return [in_shape[0], (c, 1, size, size)], [out], []

    def infer_type(self, in_type: Any) -> Any:
        """Return the type of the data."""
        return floating_types(self.name, in_type)


class UpSampling(OperatorProp):
    """Enlarge images by a whole number: repeat each pixel, or interpolate by given weights."""

    name = "UpSampling"
    category = "shape"
    variadic = "num_args"
    arguments = ("data",)
    argument_docs = {
        "data": "images (n, channels, height, width); for 'bilinear' these, and weights of shape "
        "(channels, 1, k, k) with k = 2 * scale - scale % 2"
    }
    num_args = Attribute(int, default=1, ge=1, doc="Number of inputs; set by the call.")
    scale = Attribute(int, ge=1, le=1000, doc="Factor of the first input's height and width.")
    num_filter = Attribute(int, default=0, ge=0, doc="Channels, of sample_type 'bilinear'.")
    sample_type = Attribute(str, choices=("bilinear", "nearest"), doc="How pixels are made.")
    multi_input_mode = Attribute(
        str,
        default="concat",
        choices=("concat", "sum"),
        doc="What becomes of several inputs, enlarged to one size.",
    )
    workspace = Attribute(int, default=512, ge=0, doc="Accepted for MXNet's sake.")

    def list_arguments(self) -> list[str]:
        """Return the names; weights are an input where they are used."""
        if self.sample_type == "bilinear":
            return ["data", "weight"]
        return super().list_arguments()

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the enlarged shape of the first input, with the channels of all."""
        if not in_shape[0]:
            return in_shape, [None], []
        n, c, h, w = expect_image(self.name, in_shape[0])
        size = h * self.scale, w * self.scale
        if self.sample_type == "bilinear":
            return [in_shape[0], self._weights(c)], [(n, c, *size)], []
        if not all(in_shape):
            return in_shape, [None], []
        joined = self.multi_input_mode == "concat"
        for shape in in_shape:
            self._factor(expect_image(self.name, shape, "an input"), size)
            if shape[0] != n or (not joined and shape[1] != c):
                raise ShapeError(
                    f"operator 'UpSampling': inputs have shapes {tuple(in_shape[0])} and "
                    f"{tuple(shape)}, expected as many images"
                    + ("" if joined else " and channels, for multi_input_mode 'sum'")
                )
        return in_shape, [(n, sum(shape[1] for shape in in_shape) if joined else c, *size)], []

    def _weights(self, channels: int) -> tuple[int, ...]:
        if channels and self.num_filter != channels:
            raise ShapeError(
                f"operator 'UpSampling': num_filter is {self.num_filter}, but data has {channels} "
                f"channels; pass num_filter={channels}"
            )
        size = 2 * self.scale - self.scale % 2
        return (self.num_filter, 1, size, size)

    def _factor(self, shape: tuple[int, ...], size: tuple[int, ...]) -> int:
        """Return how often the pixels of an input are repeated to make the size of the result."""
        if 0 in shape[2:]:
            return 1
        rows, columns = (whole / part for whole, part in zip(size, shape[2:], strict=True))
        if rows != columns or rows != int(rows):
            raise ShapeError(
                f"operator 'UpSampling': an input of shape {shape} does not become {size} by a "
                "whole factor, which is that of the first input"
            )
        return int(rows)

    def compose(self, F: Any, *inputs: Any) -> Any:
        """Enlarge each input; join or add them."""
        shapes = [tuple(item.shape) for item in inputs]
        (out,) = self.infer_shape(shapes)[1]
        if self.sample_type == "bilinear":
            return F._spread_pixels(*inputs, scale=self.scale)
        enlarged = [
            F._repeat_pixels(item, scale=self._factor(shape, out[2:]))
            for item, shape in zip(inputs, shapes, strict=True)
        ]
        if len(enlarged) == 1:
            return enlarged[0]
        return F.concat(*enlarged, dim=1) if self.multi_input_mode == "concat" else sum(enlarged)


OPERATORS = (UpSampling, RepeatPixels, SpreadPixels)
