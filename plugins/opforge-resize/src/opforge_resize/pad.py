"""Declaration of Pad, which `_native.c` implements."""

from typing import Any

from opforge.plugin_api import Attribute, Shape, ShapeError, native

from .images import LIBRARY


class Pad(native.NativeOperator):
    """Pad images with a constant, with the nearest elements, or with their reflection.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.ones((1, 1, 1, 2))
    >>> nd.Pad(x, mode="constant", pad_width=(0, 0, 0, 0, 0, 0, 1, 1)).asnumpy().tolist()
    [[[[0.0, 1.0, 1.0, 0.0]]]]
    """

    name = "Pad"
    aliases = ("pad",)
    library = LIBRARY
    dtypes = ("floating", "bfloat16")
    category = "shape"
    argument_docs = {"data": "(n, channels, height, width) or (n, channels, depth, height, width)"}
    mode = Attribute(
        str, choices=("constant", "edge", "reflect"), doc="Source of the added elements."
    )
    pad_width = Attribute(
        Shape,
        ge=0,
        le=2147483647,
        doc="Number of elements before and after each axis in turn; 0 for the first two axes.",
    )
    constant_value = Attribute(float, default=0.0, doc="Value of the elements in mode 'constant'.")
    saves = ()

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the padded data."""
        data = tuple(in_shape[0])
        if not data:
            return [data], [None], []
        where = "operator 'Pad'"
        if len(data) not in (4, 5):
            raise ShapeError(
                f"{where}: data has shape {data}; expected four or five dimensions, (n, channels, "
                "height, width) or (n, channels, depth, height, width)"
            )
        if len(self.pad_width) != 2 * len(data):
            raise ShapeError(
                f"{where}: pad_width has {len(self.pad_width)} numbers; expected {2 * len(data)}, "
                f"before and after each axis, because data has shape {data}"
            )
        if any(self.pad_width[:4]):
            raise ShapeError(
                f"{where}: pad_width is {self.pad_width}; expected 0 for the first two axes. Use "
                "concat for them"
            )
        ends = list(zip(self.pad_width[::2], self.pad_width[1::2], strict=True))
        for axis, (length, pair) in enumerate(zip(data, ends, strict=True)):
            if self.mode == "reflect" and 0 < length <= max(pair):
                raise ShapeError(
                    f"{where}: pad_width adds {max(pair)} elements to axis {axis} of data of shape "
                    f"{data}; mode 'reflect' adds at most {length - 1} at an end"
                )
        sizes = [n and n + sum(pair) for n, pair in zip(data, ends, strict=True)]
        return [data], [tuple(sizes)], []
