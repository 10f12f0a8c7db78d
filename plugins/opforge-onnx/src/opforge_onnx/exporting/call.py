"""`Call`: what a rule gets to translate one call of an operator."""

from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ..errors import ExportError
from .element_types import onnx_type
from .graph import Graph

__all__ = ["Call", "Value"]


class Value(NamedTuple):
    """Array of the graph: its name in ONNX, its shape and its dtype.

    Parameters
    ----------
    name : str
    shape : tuple of int
        For the sizes that the graph is exported with.
    dtype : numpy.dtype
    """

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype


class Call:
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

    def weight(self, value: Value) -> np.ndarray | None:
        """Return the numbers of an input that is constant; None if the graph computes it."""
        return self.graph.numbers.get(value.name)

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
        steps = np.arange(data.shape[axis])
        shape = [-1 if item == axis % rank else 1 for item in range(rank)]
        return str(self.node("Less", self.constant(steps.reshape(shape), np.int64), lengths))

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
