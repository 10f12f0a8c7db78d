"""Declaration of AdaptiveAvgPooling2D, which `_native.c` implements."""

from typing import Any

from opforge.plugin_api import Attribute, Shape, ShapeError, native

from .operators import LIBRARY


class AdaptiveAvgPooling2D(native.NativeOperator):
    """Average pooling of images to a given output size, from which the window sizes follow.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.arange(16).reshape((1, 1, 4, 4))
    >>> nd.contrib.AdaptiveAvgPooling2D(x, output_size=2).asnumpy().tolist()
    [[[[2.5, 4.5], [10.5, 12.5]]]]
    """

    name = "_contrib_AdaptiveAvgPooling2D"
    library = LIBRARY
    category = "pooling"
    dtypes = ("floating", "bfloat16")
    argument_docs = {"data": "(n, channels, height, width), floating"}
    output_size = Attribute(
        Shape,
        default=(),
        ge=0,
        le=2147483647,
        doc="(height, width) of the result, or one number for both; default 1.",
    )
    saves = ()

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the requested size."""
        data = tuple(in_shape[0])
        if data and len(data) != 4:
            raise ShapeError(
                f"operator '{self.name}': data has shape {data}, expected four dimensions "
                "(n, channels, height, width)"
            )
        if len(self.output_size) > 2:
            raise ShapeError(
                f"operator '{self.name}': output_size is {self.output_size}, expected one number "
                "or (height, width)"
            )
        size = self.output_size or (1,)
        return [data], [(*data[:2], size[0], size[-1]) if data else None], []
