"""Operators on 8-bit integers that are composed of others: ReLU, flattening, embedding."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, ClassVar

from opforge.plugin_api import Attribute, DType, OperatorProp

__all__ = ["QuantizedAct", "QuantizedEmbedding", "QuantizedFlatten"]


def _range(F: Any, low: Any, high: Any) -> list[Any]:
    """Return the ends of a range, which have one element each."""
    return [F.reshape(low, shape=(1,)), F.reshape(high, shape=(1,))]


class _Ranged(OperatorProp):
    """Base class of operators that keep the range of their integers."""

    outputs = ("output", "min_output", "max_output")
    differentiable = False
    arguments: ClassVar[Sequence[str]] = ("data", "min_data", "max_data")
    dtypes: Sequence[str] = ("int8", "uint8")
    argument_dtypes: Mapping[str, Sequence[str]] = {
        "min_data": ("float32",),
        "max_data": ("float32",),
    }
    output_dtypes = {"min_output": "float32", "max_output": "float32"}

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the data; ranges have one element."""
        data = tuple(in_shape[0])
        return [data, (1,), (1,)], [data or None, (1,), (1,)], []


class QuantizedAct(_Ranged):
    """Replace negative integers by 0; the range stays.

    Examples
    --------
    >>> from opforge import nd
    >>> data, low, high = nd.array([-3, 5], dtype="int8"), nd.array([-1]), nd.array([1])
    >>> output, low, high = nd.contrib.quantized_act(data, low, high, act_type="relu")
    >>> output.asnumpy().tolist(), low.asnumpy().tolist(), high.asnumpy().tolist()
    ([0, 5], [-1.0], [1.0])
    """

    name = "_contrib_quantized_act"
    category = "activation"
    act_type = Attribute(str, choices=("relu",), doc="The function.")

    def compose(self, F: Any, data: Any, low: Any, high: Any) -> Any:
        """Return the larger one of each integer and 0."""
        return [F.maximum(data, 0), *_range(F, low, high)]


class QuantizedFlatten(_Ranged):
    """Flatten all axes except the first; the range stays.

    Examples
    --------
    >>> from opforge import nd
    >>> data, low, high = nd.zeros((2, 3, 4), dtype="int8"), nd.array([-1]), nd.array([1])
    >>> nd.contrib.quantized_flatten(data, low, high)[0].shape
    (2, 12)
    """

    name = "_contrib_quantized_flatten"
    category = "shape"

    def infer_shape(self, in_shape: Any) -> Any:
        """Return two axes, of which the second has the elements of all others."""
        inputs, (data, *ranges), states = super().infer_shape(in_shape)
        out = (data[0], prod(data[1:])) if data else None
        return inputs, [out, *ranges], states

    def compose(self, F: Any, data: Any, low: Any, high: Any) -> Any:
        """Return the flattened data and its range."""
        return [F.Flatten(data), *_range(F, low, high)]


class QuantizedEmbedding(_Ranged):
    """Return the rows of `weight` at the indices in `data`, and the range of the weight.

    Indices out of range are clipped to the first or last row.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, low, high = nd.array([[1, 2], [3, 4]], dtype="int8"), nd.array([-1]), nd.array([1])
    >>> output, low, high = nd.contrib.quantized_embedding(
    ...     nd.array([1, 0, 1]), weight, low, high, input_dim=2, output_dim=2
    ... )
    >>> output.asnumpy().tolist()
    [[3, 4], [1, 2], [3, 4]]
    """

    name = "_contrib_quantized_embedding"
    category = "selection"
    arguments = ("data", "weight", "min_weight", "max_weight")
    dtypes = ("int8",)
    argument_dtypes = {
        "data": ("any",),
        "min_weight": ("float32",),
        "max_weight": ("float32",),
    }
    argument_docs = {"data": "indices of any shape and type", "weight": "(input_dim, output_dim)"}
    input_dim = Attribute(int, ge=1, doc="Number of rows.")
    output_dim = Attribute(int, ge=1, doc="Length of a row.")
    dtype = Attribute(DType, default="float32", doc="Type of the network's real weight.")
    sparse_grad = Attribute(bool, default=False, doc="Ignored: the operator has no gradient.")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of one row for each index."""
        data = tuple(in_shape[0])
        out = (*data, self.output_dim) if data else None
        weight = (self.input_dim, self.output_dim)
        return [data, weight, (1,), (1,)], [out, (1,), (1,)], []

    def compose(self, F: Any, data: Any, weight: Any, low: Any, high: Any) -> Any:
        """Return the rows and the range."""
        table = F.reshape(weight, shape=(self.input_dim, self.output_dim))
        rows = F.take(table, data, axis=0, mode="clip")
        return [rows, *_range(F, low, high)]
