"""UpSampling, and the two native operators that implement it."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, ShapeError, native

from .images import LIBRARY, expect_image


class RepeatPixels(native.NativeOperator):
    """Repeat each pixel of images along both axes."""

    name = "_repeat_pixels"
    library = LIBRARY
    dtypes = ("floating", "bfloat16")
    scale = Attribute(int, ge=1, le=32768, doc="Number of repetitions along each axis.")
    saves = ()

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the enlarged images."""
        n, c, h, w = expect_image(self.name, in_shape[0])
        return in_shape, [(n, c, h * self.scale, w * self.scale)], []


class SpreadPixels(native.NativeOperator):
    """Depthwise transposed convolution: add each channel's filter, times each pixel."""

    name = "_spread_pixels"
    library = LIBRARY
    dtypes = ("floating", "bfloat16")
    arguments = ("data", "weight")
    scale = Attribute(int, ge=1, le=1024, doc="Stride between the filters of adjacent pixels.")
    saves = ("inputs",)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the enlarged images, and of one filter for each channel."""
        n, c, h, w = expect_image(self.name, in_shape[0])
        size = 2 * self.scale - self.scale % 2
        out = (n, c, h * self.scale, w * self.scale)
        return [in_shape[0], (c, 1, size, size)], [out], []


class UpSampling(OperatorProp):
    """Enlarge images by an integer factor: repeat each pixel, or interpolate with given weights.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[[[1, 2]]]])
    >>> nd.UpSampling(x, scale=2, sample_type="nearest").asnumpy().tolist()
    [[[[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 2.0, 2.0]]]]
    """

    name = "UpSampling"
    category = "shape"
    dtypes = ("floating",)
    variadic = "num_args"
    arguments = ("data",)
    argument_docs = {
        "data": "images (n, channels, height, width); for 'bilinear' these, and weights of shape "
        "(channels, 1, k, k) with k = 2 * scale - scale % 2"
    }
    num_args = Attribute(int, default=1, ge=1, doc="Number of inputs; set by the call.")
    scale = Attribute(int, ge=1, le=1000, doc="Factor of the first input's height and width.")
    num_filter = Attribute(int, default=0, ge=0, doc="Channels; for sample_type 'bilinear'.")
    sample_type = Attribute(
        str, choices=("bilinear", "nearest"), doc="Interpolation with weights, or repetition."
    )
    multi_input_mode = Attribute(
        str,
        default="concat",
        choices=("concat", "sum"),
        doc="Combination of several inputs, each enlarged to the size of the result.",
    )
    workspace = Attribute(
        int, default=512, ge=0, doc="Ignored; accepted for compatibility with MXNet."
    )

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs; only sample_type 'bilinear' has weights."""
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
                    f"{tuple(shape)}; expected the same number of images"
                    + ("" if joined else " and channels because multi_input_mode='sum'")
                )
        return in_shape, [(n, sum(shape[1] for shape in in_shape) if joined else c, *size)], []

    def _weights(self, channels: int) -> tuple[int, ...]:
        if channels and self.num_filter != channels:
            raise ShapeError(
                f"operator 'UpSampling': num_filter is {self.num_filter}, but data has {channels} "
                f"channels. Pass num_filter={channels}"
            )
        size = 2 * self.scale - self.scale % 2
        return (self.num_filter, 1, size, size)

    def _factor(self, shape: tuple[int, ...], size: tuple[int, ...]) -> int:
        """Return the factor that enlarges an input of `shape` to the size of the result."""
        if 0 in shape[2:]:
            return 1
        rows, columns = (larger / length for larger, length in zip(size, shape[2:], strict=True))
        if rows != columns or rows != int(rows):
            raise ShapeError(
                f"operator 'UpSampling': an input has shape {shape}, which no integer factor "
                f"enlarges to {size}, the size that the first input gets"
            )
        return int(rows)

    def compose(self, F: Any, *inputs: Any) -> Any:
        """Enlarge the inputs; concatenate or add them."""
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
