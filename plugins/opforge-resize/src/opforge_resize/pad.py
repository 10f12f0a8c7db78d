"""The declaration of Pad; `_native.c` computes it."""

from typing import Any

from opforge.plugin_api import Attribute, Shape, ShapeError, native

from .images import LIBRARY, floating_types


class Pad(native.NativeOperator):
    """Put elements around images: a constant, the nearest ones, or the image's reflection."""

    name = "Pad"
    aliases = ("pad",)
    library = LIBRARY
    category = "shape"
    argument_docs = {"data": "(n, channels, height, width) or (n, channels, depth, height, width)"}
    mode = Attribute(str, choices=("constant", "edge", "reflect"), doc="What the elements are.")
    pad_width = Attribute(
        Shape,
        ge=0,
        le=2147483647,
        doc="How many before and after, for each axis in turn; 0 for the first two.",
    )
    constant_value = Attribute(float, default=0.0, doc="The constant of mode 'constant'.")
    saves = ()

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the data's shape, with what is put around it."""
        data = tuple(in_shape[0])
        if not data:
            return [data], [None], []
        where = "operator 'Pad'"
        if len(data) not in (4, 5):
            raise ShapeError(
                f"{where}: data has shape {data}, expected four or five dimensions (n, channels, "
                "height, width) or (n, channels, depth, height, width)"
            )
        if len(self.pad_width) != 2 * len(data):
            raise ShapeError(
                f"{where}: pad_width has {len(self.pad_width)} numbers, expected "
                f"{2 * len(data)}: before and after each axis of data of shape {data}"
            )
        if any(self.pad_width[:4]):
            raise ShapeError(
                f"{where}: pad_width is {self.pad_width}, expected 0 for the first two axes; use "
                "concat for them"
            )
        ends = list(zip(self.pad_width[::2], self.pad_width[1::2], strict=True))
        for axis, (length, pair) in enumerate(zip(data, ends, strict=True)):
            if self.mode == "reflect" and 0 < length <= max(pair):
                raise ShapeError(
                    f"{where}: mode 'reflect' puts at most {length - 1} elements at an end of axis "
                    f"{axis} of data of shape {data}, got {max(pair)}"
                )
        sizes = [n and n + sum(pair) for n, pair in zip(data, ends, strict=True)]
        return [data], [tuple(sizes)], []

    def infer_type(self, in_type: Any) -> Any:
        """Return the type of the data."""
        return floating_types(self.name, in_type)
