"""`Call`: what a rule gets to translate one call of an operator."""

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from ..errors import ExportError
from ..marks import Mark
from .element_types import onnx_type
from .graph import Graph
from .matrices import MatricesMixin
from .sizes import SizesMixin
from .value import Value

__all__ = ["Call"]


class Call(SizesMixin, MatricesMixin):
    """One call of an operator, which a rule replaces by nodes of ONNX.

    Parameters
    ----------
    graph : Graph
    name : str
        Name of the node.
    operator : str
    inputs : sequence of Value or None
        Arguments, then auxiliary states; None for an input that the graph does not have, such as a
        label in a prediction.
    outputs : sequence of Value
        Visible outputs; their names are not used.
    """

    def __init__(
        self,
        graph: Graph,
        name: str,
        operator: str,
        inputs: Sequence[Value],
        outputs: Sequence[Value],
    ) -> None:
        self.graph = graph
        self.name = name
        self.operator = operator
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        #: The declaration for larger inputs, if its attributes have sizes that change.
        self.for_larger: Any = None

    @property
    def opset(self) -> int:
        """Version of the standard operators to write."""
        return self.graph.opset

    def node(
        self,
        kind: str,
        *inputs: "Value | str",
        outputs: int = 1,
        domain: str = "",
        **attributes: Any,
    ) -> Any:
        """Add a node and return the name of its output, or a list of names if it has several.

        Parameters
        ----------
        kind : str
            Type of the node, for instance "Conv".
        *inputs : Value or str
            An empty text for an optional input that is missing.
        outputs : int, default 1
        domain : str, default ""
            Set of operators; empty for the standard ones.
        **attributes
            Attributes of the node; None is left out.
        """
        names = [item.name if isinstance(item, Value) else item for item in inputs]
        if domain:
            self.graph.domains.setdefault(domain, 1)
        made = self.graph.add_node(kind, names, self.name, outputs, domain, attributes)
        return made[0] if outputs == 1 else made

    def mark(self, value: str, prop: Any) -> str:
        """Return a result after marking it as that of the operator.

        opforge's import then calls the operator instead of translating the nodes, whose shapes
        may depend on values.
        """
        names = [item.name for item in self.inputs]
        self.graph.marks[value] = Mark(self.operator, names, prop.attribute_strings())
        return value

    def constant(self, values: Any, dtype: Any = None) -> str:
        """Return the name of a constant.

        Parameters
        ----------
        values : array_like
        dtype : dtype, optional
            Default: that of the first input.
        """
        kind = self.inputs[0].dtype if dtype is None else np.dtype(dtype)
        return self.graph.constant(np.asarray(values).astype(kind), self.name)

    def integers(self, *values: int) -> str:
        """Return the name of a constant vector of int64, as shapes and axes are given."""
        return self.constant(np.array(values, np.int64), np.int64)

    def split_equally(self, axis: int, count: int, squeeze: bool) -> list[str]:
        """Return equal parts of the first input along an axis, which may be dropped."""
        data = self.inputs[0]
        axis %= len(data.shape)
        if data.is_open(axis):
            part = self.node("Div", self.size(data, axis), self.integers(count))
            sizes = self.node("Tile", part, self.integers(count))
        else:
            sizes = self.integers(*[data.shape[axis] // count] * count)
        return self.split(axis, sizes, count, squeeze)

    def split(self, axis: int, sizes: str, count: int, squeeze: bool) -> list[str]:
        """Return parts of the first input along an axis, which is dropped if `squeeze`."""
        found = self.node("Split", self.inputs[0], sizes, axis=axis, outputs=count)
        parts = [found] if count == 1 else list(found)
        return [self.node("Squeeze", x, self.integers(axis)) for x in parts] if squeeze else parts

    def weight(self, value: Value) -> np.ndarray | None:
        """Return the numbers of an input that is constant; None if the graph computes it."""
        return self.graph.numbers.get(value.name)

    def is_zero(self, value: Value) -> bool:
        """Return whether all numbers of an input are known to be zero, for all sizes."""
        numbers = self.weight(value)
        return value.name in self.graph.zeros or (numbers is not None and not numbers.any())

    def cast(self, value: "Value | str", dtype: Any) -> str:
        """Add a node that converts to another dtype."""
        return self.node("Cast", value, to=onnx_type(dtype))

    def reduce(self, kind: str, value: "Value | str", *axes: int, keepdims: bool = True) -> str:
        """Add a reduction over axes, which are an attribute of most kinds before opset 18."""
        if kind == "ReduceSum" or self.opset >= 18:
            return str(self.node(kind, value, self.integers(*axes), keepdims=int(keepdims)))
        return str(self.node(kind, value, axes=axes, keepdims=int(keepdims)))

    def transposed(self, value: Value, transpose: bool) -> "Value | str":
        """Return an array, with the last two axes swapped if `transpose` is true."""
        rank = len(value.shape)
        order = [*range(rank - 2), rank - 1, rank - 2]
        return str(self.node("Transpose", value, perm=order)) if transpose else value

    def within_lengths(self, data: Value, lengths: str, axis: int) -> str:
        """Return which elements of `data` have an index along an axis below their length.

        Parameters
        ----------
        data : Value
        lengths : str
            Integers that broadcast with the data.
        axis : int
        """
        rank = len(data.shape)
        axis %= rank
        shape = [-1 if item == axis else 1 for item in range(rank)]
        if data.is_open(axis):
            steps = self.node("Reshape", self.arange(data, axis), self.integers(*shape))
        else:
            steps = self.constant(np.arange(data.shape[axis]).reshape(shape), np.int64)
        return str(self.node("Less", steps, lengths))

    def require(self, condition: object, reason: str, remedy: str) -> None:
        """Raise an error unless `condition` is true.

        Parameters
        ----------
        condition : object
        reason, remedy : str
            Why ONNX cannot express the call, and the nearest way round.
        """
        if not condition:
            self.fail(reason, remedy)

    def fail(self, reason: str, remedy: str) -> NoReturn:
        """Raise the error that this call cannot be exported."""
        raise ExportError(
            f"export to ONNX: node {self.name!r} (operator {self.operator!r}): {reason}; {remedy}"
        )
