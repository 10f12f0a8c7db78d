"""The declaration of AdaptiveAvgPooling2D; `_native.c` computes it."""

from typing import Any

from opforge.plugin_api import Attribute, Shape, ShapeError, native

from .floating import expect_floating
from .operators import LIBRARY


class AdaptiveAvgPooling2D(native.NativeOperator):
    """Average windows of images; their number is given and their sizes follow from it."""

    name = "_contrib_AdaptiveAvgPooling2D"
    library = LIBRARY
    category = "pooling"
    argument_docs = {"data": "(n, channels, height, width), floating"}
    output_size = Attribute(
        Shape,
        default=(),
        ge=0,
        le=2147483647,
        doc="(height, width) of the result, or one number for both; 1 if not given.",
    )
    saves = ()

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the wanted size."""
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

    def infer_type(self, in_type: Any) -> Any:
        """Return the type of the data."""
        (data,) = in_type
        expect_floating(self.name, data)
        return [data], [data], []
