"""Dense layer of float32 data and weights of 8 or 4 bits, in C."""

from typing import Any, ClassVar

from opforge.plugin_api import Attribute, AttributeValueError, ShapeError

from .base import LIBRARY, QuantizedOperator, complete_shapes, dense_sizes

__all__ = ["BLOCK", "ZERO_OF_4_BITS", "DynamicDense", "DynamicWeights", "n_groups"]
__all__ += ["stored_length"]

#: Elements of a weight of 4 bits that are stored together, in half as many bytes.
BLOCK = 64
#: Integer of 4 bits that stands for 0.
ZERO_OF_4_BITS = 8
_LEAST_GROUP = 32
#: Longest rows whose sums are exact in int32, without groups.
_MAX_LENGTH = 131072


def stored_length(length: int, bits: int) -> int:
    """Return the bytes of a row of a weight."""
    return length if bits == 8 else -(-length // BLOCK) * (BLOCK // 2)


def n_groups(length: int, group_size: int) -> int:
    """Return the number of scales of a row of a weight."""
    return -(-length // group_size) if group_size else 1


class DynamicWeights(QuantizedOperator):
    """Base class of operators on float32 data whose weights have 8 or 4 bits, with scales."""

    category = "linear"
    library = LIBRARY
    dtypes = ("float32",)
    #: Names of the weights.
    weights: ClassVar[tuple[str, ...]]
    bits = Attribute(int, default=8, choices=(8, 4), doc="Size of an element of a weight.")
    group_size = Attribute(
        int,
        default=0,
        ge=0,
        doc="Elements with a common scale, 32, 64, 128, ...; 0: complete rows.",
    )

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        size = self.group_size
        if size and (size < _LEAST_GROUP or size & (size - 1)):
            raise AttributeValueError(
                f"operator {self.name!r}: group_size is {size}; expected 0, or a power of 2 from "
                f"{_LEAST_GROUP} on"
            )
        kinds = dict.fromkeys(self.weights, ("int8",) if self.bits == 8 else ("uint8",))
        self.argument_dtypes = {**type(self).argument_dtypes, **kinds}

    def weight_shape(self, units: int, length: int) -> tuple[int, int]:
        """Return the shape of a weight of `length` features."""
        if not self.group_size and length > _MAX_LENGTH:
            raise ShapeError(
                f"operator {self.name!r}: {length} features; expected at most {_MAX_LENGTH} "
                "without groups. Set group_size"
            )
        return units, stored_length(length, self.bits)

    def scale_shape(self, units: int, length: int) -> tuple[int, int]:
        """Return the shape of the scales of a weight."""
        return units, n_groups(length, self.group_size)


class DynamicDense(DynamicWeights):
    """Fully connected layer whose weight has 8 or 4 bits, and whose data is quantized in each call.

    ``output = data . weight^T + bias``. Each row of data gets its own range: its largest magnitude
    becomes 127, rounded half to even. A row with an element that is not finite gives NaN.

    Integers of the weight are multiplied by `scale`, of which each row of the weight has one
    element, or one for each `group_size` elements. With 4 bits, 8 stands for 0, and each 64
    elements of a row, which is padded, are 32 bytes: byte i has element i in its lower half and
    element 32 + i in its upper one.

    Examples
    --------
    >>> from opforge import nd
    >>> data, weight = nd.array([[1.0, -2]]), nd.array([[100, 50], [0, -20]], dtype="int8")
    >>> nd._dynamic_dense(
    ...     data, weight, nd.array([[0.01], [0.1]]), num_hidden=2, no_bias=True
    ... ).round().asnumpy().tolist()
    [[0.0, 4.0]]
    """

    name = "_dynamic_dense"
    weights = ("weight",)
    arguments = ("data", "weight", "scale", "bias")
    outputs = ("output",)
    argument_dtypes = {"weight": ("int8", "uint8"), "scale": ("float32",), "bias": ("float32",)}
    output_dtypes = {"output": "float32"}
    argument_docs = {
        "data": "(n, ...), of which in_units is the number of elements; without flatten "
        "(..., in_units)",
        "weight": "int8 (num_hidden, in_units), or uint8 (num_hidden, in_units / 2) of 4 bits",
        "scale": "(num_hidden, groups)",
        "bias": "(num_hidden,); without no_bias",
    }
    num_hidden = Attribute(int, ge=1, doc="Number of output features.")
    no_bias = Attribute(bool, default=False, doc="Omit the bias.")
    flatten = Attribute(bool, default=True, doc="Whether all axes but the first are features.")

    def list_arguments(self) -> list[str]:
        """Return data, weight, scale and, unless no_bias, bias."""
        return list(self.arguments[: 3 if self.no_bias else 4])

    def complete_data(self, shapes: Any) -> Any:
        """Return (n, num_hidden), or (..., num_hidden) without flatten."""
        data = shapes["data"]
        if not data:
            return None
        out, length = dense_sizes(self, data)
        expected = {
            "weight": self.weight_shape(self.num_hidden, length),
            "scale": self.scale_shape(self.num_hidden, length),
            "bias": (self.num_hidden,),
        }
        complete_shapes(self, shapes, expected)
        return out
