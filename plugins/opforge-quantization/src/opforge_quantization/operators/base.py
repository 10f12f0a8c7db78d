"""Base classes of the declarations, and the library."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, ClassVar

from opforge.plugin_api import Attribute, ShapeError, native

__all__ = ["EIGHT_BITS", "LEVELS", "LIBRARY", "RANGED", "Calibrated", "QuantizedOperator"]
__all__ += ["complete_shapes", "dense_sizes", "like_first", "merge_shapes"]

LIBRARY = native.load("opforge_quantization._native")

#: Element types of quantized data.
EIGHT_BITS = ("int8", "uint8")
#: Value that the largest magnitude of a range is quantized to, before rounding.
LEVELS = {"int8": 127.5, "uint8": 255.5}
#: Outputs of most operators: data and its range.
RANGED = ("output", "min_output", "max_output")


class QuantizedOperator(native.NativeOperator):
    """Base class of operators in C whose inputs include ranges.

    A range is a pair of arrays of one float32 each: the real numbers at the ends of the integers.
    """

    differentiable = False
    outputs: ClassVar[Sequence[str]] = ("output", "min_output", "max_output")
    output_dtypes = {"min_output": "float32", "max_output": "float32"}
    attrs = {"IsPure": True}

    def list_ranges(self) -> list[str]:
        """Return the names of the inputs that hold ends of ranges."""
        return [name for name in self.list_arguments() if name.startswith(("min_", "max_"))]

    def complete_data(self, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...] | None:
        """Complete the shapes of the other inputs and return that of the output, None if unknown.

        Parameters
        ----------
        shapes : dict of str to tuple of int
            Known shapes by name, () if unknown; it may be changed.
        """
        raise NotImplementedError

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the output; ranges have one element."""
        names, ranges = self.list_arguments(), set(self.list_ranges())
        shapes = {n: tuple(s or ()) for n, s in zip(names, in_shape, strict=True)}
        out = self.complete_data(shapes)
        inputs = [(1,) if name in ranges else shapes[name] for name in names]
        outputs = [out, *[(1,)] * (len(self.list_outputs()) - 1)]
        return inputs, outputs, []


class Calibrated(QuantizedOperator):
    """Base class of operators that may have the range of their result from calibration."""

    min_calib_range = Attribute(
        float, default=None, doc="Smallest real number; with max_calib_range, from calibration."
    )
    max_calib_range = Attribute(
        float, default=None, doc="Largest real number; with min_calib_range, from calibration."
    )

    @property
    def is_calibrated(self) -> bool:
        """True if both ends of the range are given."""
        return self.min_calib_range is not None and self.max_calib_range is not None

    def dtype_of(self, out_type: str) -> str:
        """Return the type that `out_type` stands for: 'auto' is uint8 for ranges from 0 on."""
        if out_type != "auto":
            return out_type
        return "uint8" if self.is_calibrated and self.min_calib_range >= 0 else "int8"


def merge_shapes(shape: Sequence[int], other: Sequence[int]) -> tuple[int, ...]:
    """Return a shape with its unknown sizes, which are 0, taken from another one.

    Examples
    --------
    >>> merge_shapes((0, 3), (2, 3)), merge_shapes((), (2,)), merge_shapes((2,), ())
    ((2, 3), (2,), (2,))
    """
    if len(shape) != len(other):
        return tuple(shape or other)
    return tuple([size or found for size, found in zip(shape, other, strict=True)])


def dense_sizes(prop: Any, data: Sequence[int]) -> tuple[tuple[int, ...], int]:
    """Return the shape of the result of a dense layer, and the number of features of its data.

    Features are all axes but the first, or without `flatten` the last axis.
    """
    n_leading = 1 if prop.flatten else len(data) - 1
    return (*data[:n_leading], prop.num_hidden), prod(data[n_leading:])


def complete_shapes(
    prop: Any, shapes: dict[str, Any], expected: Mapping[str, tuple[int, ...]]
) -> None:
    """Set the shapes of inputs that follow from the data; names that are not inputs have no effect.

    Raises
    ------
    ShapeError
        An input has another shape.
    """
    for name, shape in expected.items():
        if name not in shapes:
            continue
        if shapes[name] and merge_shapes(shapes[name], shape) != shape:
            raise ShapeError(
                f"operator {prop.name!r}: {name!r} has shape {shapes[name]}; expected {shape} "
                f"because 'data' has shape {shapes['data']}"
            )
        shapes[name] = shape


def like_first(prop: Any, names: Sequence[str], shapes: dict[str, tuple[int, ...]]) -> Any:
    """Return the common shape of several inputs, which unknown ones get.

    Raises
    ------
    ShapeError
        Two of them have different shapes.
    """
    known: tuple[int, ...] = ()
    for name in names:
        if known and shapes[name] and len(shapes[name]) != len(known):
            raise ShapeError(
                f"operator {prop.name!r}: {name!r} has shape {shapes[name]}; expected {known} "
                f"because {names[0]!r} has it"
            )
        known = merge_shapes(known, shapes[name])
    for name in names:
        shapes[name] = known
    return known or None
