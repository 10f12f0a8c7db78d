"""`Value` and `Node`: what the translation of a node of an ONNX file gets."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np
from onnx import NodeProto, helper

from ..errors import ImportModelError

__all__ = ["Node", "Value"]


class Value(NamedTuple):
    """Array of the graph.

    Parameters
    ----------
    symbol : Symbol or None
        None for a constant that no symbol stands for yet; see `Node.symbol`.
    shape : tuple of int or None, or None
        None stands for an unknown size, or for an unknown number of dimensions.
    constant : numpy.ndarray or None
        The numbers, if they are known.
    """

    symbol: Any
    shape: tuple[int | None, ...] | None
    constant: np.ndarray | None = None


class Node:
    """One node of an ONNX graph, with its inputs as symbols or numbers.

    Parameters
    ----------
    proto : onnx.NodeProto
    inputs : sequence of Value or None
        None for an optional input that is missing.
    opset : int
        Version of the standard operators.
    weights : object
        Has ``symbol(name, array)``, which returns a variable for an array.
    """

    def __init__(
        self, proto: NodeProto, inputs: Sequence[Value | None], opset: int, weights: Any
    ) -> None:
        self.kind = proto.op_type
        self.name = proto.output[0] or proto.name
        self.outputs = len(proto.output)
        self.opset = opset
        self._inputs = list(inputs)
        self._weights = weights
        self._names = list(proto.input)
        self._attributes: Mapping[str, Any] = {
            item.name: helper.get_attribute_value(item) for item in proto.attribute
        }

    def __len__(self) -> int:
        return len(self._inputs)

    def attribute(self, name: str, default: Any = None) -> Any:
        """Return an attribute; texts as str."""
        found = self._attributes.get(name, default)
        return found.decode() if isinstance(found, bytes) else found

    def has(self, index: int) -> bool:
        """Return whether an optional input is given."""
        return index < len(self._inputs) and self._inputs[index] is not None

    def _value(self, index: int) -> Value:
        value = self._inputs[index] if index < len(self._inputs) else None
        if value is None:
            self.fail(f"input {index} is missing", "the file does not follow its opset")
        return value

    def symbol(self, index: int) -> Any:
        """Return an input as a symbol; numbers become a weight."""
        value = self._value(index)
        if value.symbol is not None:
            return value.symbol
        return self._weights.symbol(self._names[index], value.constant)

    def symbols(self) -> list[Any]:
        """Return all inputs as symbols."""
        return [self.symbol(index) for index in range(len(self._inputs))]

    def weight(self, array: np.ndarray, label: str) -> Any:
        """Return a variable for an array that is computed while the file is read."""
        return self._weights.symbol(f"{self.name}_{label}", array)

    def numbers(self, index: int) -> np.ndarray | None:
        """Return the numbers of an input, or None if the graph computes them."""
        return self._value(index).constant

    def constant(self, index: int, name: str) -> np.ndarray:
        """Return the numbers of an input that must be known, such as axes."""
        found = self.numbers(index)
        if found is None:
            self.fail(
                f"input {name!r} is computed by the graph",
                "give sizes of the inputs in `shapes`, so that they become constants",
            )
        return found

    def integers(self, index: int, name: str) -> list[int]:
        """Return a constant input as a list of integers."""
        return [int(item) for item in np.atleast_1d(self.constant(index, name))]

    def rank(self, index: int) -> int:
        """Return the number of dimensions of an input."""
        return len(self.shape(index))

    def shape(self, index: int) -> tuple[int | None, ...]:
        """Return the shape of an input, with None for unknown sizes."""
        value = self._value(index)
        if value.constant is not None:
            return value.constant.shape
        if value.shape is None:
            self.fail(
                "the number of dimensions of its input is unknown",
                "give shapes of the inputs in `shapes`",
            )
        return value.shape

    def sizes(self, index: int) -> tuple[int, ...]:
        """Return the shape of an input whose sizes must all be known."""
        found = self.shape(index)
        if any(size is None for size in found):
            self.fail(
                f"it needs the sizes {found} of its input",
                "give sizes of the inputs in `shapes`",
            )
        return tuple(int(size) for size in found if size is not None)

    def require(self, condition: object, reason: str, remedy: str) -> None:
        """Raise an error unless `condition` is true."""
        if not condition:
            self.fail(reason, remedy)

    def fail(self, reason: str, remedy: str) -> NoReturn:
        """Raise the error that this node cannot be imported."""
        raise ImportModelError(
            f"import of ONNX: node {self.name!r} ({self.kind}): {reason}; {remedy}"
        )
