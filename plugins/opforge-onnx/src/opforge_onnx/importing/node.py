"""`Value` and `Node`: what the translation of a node of an ONNX file gets."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np
from onnx import NodeProto, helper

from opforge.plugin_api import element_type

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
    name : str
        Name of the variable that stands for the numbers.
    dtype : numpy.dtype or None
        None if it is unknown.
    transposed : Value or None
        The matrix that the graph transposes to get this constant.
    """

    symbol: Any
    shape: tuple[int | None, ...] | None
    constant: np.ndarray | None = None
    name: str = ""
    dtype: np.dtype | None = None
    transposed: "Value | None" = None

    @property
    def known_shape(self) -> tuple[int | None, ...] | None:
        """The shape, which that of the numbers replaces."""
        return self.shape if self.constant is None else self.constant.shape

    def full_shape(self) -> tuple[int | None, ...] | None:
        """Return the shape; what the file does not tell is inferred by opforge."""
        shape = self.known_shape
        if shape is not None and None not in shape:
            return shape
        _, found, _ = self.symbol.infer_shape_partial()
        sizes = tuple(size or None for size in found[0])
        return sizes if sizes and (shape is None or len(shape) == len(sizes)) else shape


def _text(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


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
        Has ``symbol(name, array)``, which returns a variable for an array, and ``of(value)``.
    scope : str
        Beginning of the names of constants, in the graph of another node.
    """

    def __init__(
        self,
        proto: NodeProto,
        inputs: Sequence[Value | None],
        opset: int,
        weights: Any,
        scope: str = "",
    ) -> None:
        self.kind = proto.op_type
        # Operators add the suffix to the names of their outputs.
        output = next(filter(None, proto.output), proto.name)
        self.name = scope + output.removesuffix("_output")
        self.outputs = len(proto.output)
        self.opset = opset
        self._inputs = list(inputs)
        self._weights = weights
        self._attributes: Mapping[str, Any] = {
            item.name: helper.get_attribute_value(item) for item in proto.attribute
        }

    def __len__(self) -> int:
        return len(self._inputs)

    def attribute(self, name: str, default: Any = None) -> Any:
        """Return an attribute; texts as str, also in lists."""
        found = self._attributes.get(name, default)
        if isinstance(found, list):
            return [_text(item) for item in found]
        return _text(found)

    def attributes(self) -> dict[str, Any]:
        """Return all attributes by name."""
        return {name: self.attribute(name) for name in self._attributes}

    def has(self, index: int) -> bool:
        """Return whether an optional input is given."""
        return index < len(self._inputs) and self._inputs[index] is not None

    def value(self, index: int) -> Value:
        """Return an input, which must not be missing."""
        value = self._inputs[index] if index < len(self._inputs) else None
        if value is None:
            self.fail(f"input {index} is missing", "the file does not follow its opset")
        return value

    def symbol(self, index: int) -> Any:
        """Return an input as a symbol; numbers become a weight."""
        return self._weights.of(self.value(index))

    def symbols(self) -> list[Any]:
        """Return all inputs as symbols."""
        return [self.symbol(index) for index in range(len(self._inputs))]

    def weight(self, array: np.ndarray, label: str) -> Any:
        """Return a variable for an array that is computed while the file is read."""
        return self._weights.symbol(f"{self.name}_{label}", array)

    def derived(self, index: int, array: np.ndarray, label: str) -> Any:
        """Return a variable for numbers computed from those of an input.

        It is the same for all nodes that read the input, such as those of a loop's steps.
        """
        return self._weights.symbol(f"{self.value(index).name or self.name}_{label}", array)

    def transposed(self, index: int) -> Any:
        """Return the transpose of a known matrix as a variable.

        If the graph transposes a weight of the file, it is this weight.
        """
        value = self.value(index)
        if value.transposed is not None:
            return self._weights.of(value.transposed)
        assert value.constant is not None
        return self.derived(index, np.ascontiguousarray(value.constant.T), "transposed")

    def numbers(self, index: int) -> np.ndarray | None:
        """Return the numbers of an input, or None if the graph computes them."""
        return self.value(index).constant

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
        shape = self.value(index).full_shape()
        if shape is None:
            self.fail(
                "the number of dimensions of its input is unknown",
                "give shapes of the inputs in `shapes`",
            )
        return shape

    def sizes(self, index: int) -> tuple[int, ...]:
        """Return the shape of an input whose sizes must all be known."""
        found = self.shape(index)
        if None in found:
            self.fail(
                f"it needs the sizes {found} of its input",
                "give sizes of the inputs in `shapes`",
            )
        return tuple(int(size) for size in found if size is not None)

    def dtype(self, index: int) -> np.dtype[Any]:
        """Return the element type of an input."""
        value = self.value(index)
        if value.constant is not None:
            return value.constant.dtype
        if value.dtype is not None:
            return value.dtype
        _, types, _ = value.symbol.infer_type()
        return np.dtype(types[0])

    def is_floating(self, index: int) -> bool:
        """Return whether an input has floating-point numbers."""
        return element_type(self.dtype(index)).is_floating

    def require(self, condition: object, reason: str, remedy: str) -> None:
        """Raise an error unless `condition` is true."""
        if not condition:
            self.fail(reason, remedy)

    def limit(self, count: int, most: int, what: str) -> None:
        """Raise an error if a file asks for more than it can mean."""
        self.require(count <= most, f"{count} {what}", f"it must be at most {most}")

    def fail(self, reason: str, remedy: str) -> NoReturn:
        """Raise the error that this node cannot be imported."""
        raise ImportModelError(
            f"import of ONNX: node {self.name!r} ({self.kind}): {reason}; {remedy}"
        )
