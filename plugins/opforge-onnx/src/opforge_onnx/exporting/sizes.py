"""`SizesMixin`: shapes that a call writes to the graph, where sizes may change."""

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from .graph import Graph
from .open_sizes import Source, find_source
from .value import Value

__all__ = ["SizesMixin"]

_REMEDY = "export it with fixed sizes of the inputs"


class SizesMixin:
    """Methods of `Call` that read sizes: constants, unless they may change."""

    graph: Graph
    inputs: list[Value]
    node: Callable[..., Any]
    constant: Callable[..., str]
    integers: Callable[..., str]
    reduce: Callable[..., str]
    require: Callable[..., None]
    fail: Callable[..., NoReturn]

    def size(self, value: Value, axis: int) -> str:
        """Return the size of an axis of an input as a vector of one element."""
        if not value.is_open(axis):
            return self.integers(value.shape[axis])
        return self.shape_vector((value, axis))

    def shape_vector(self, *sizes: "int | tuple[Value, int]") -> str:
        """Return a vector of sizes: numbers, and pairs of an input and its axis.

        It is constant if none of these sizes may change.
        """
        known = [
            size if isinstance(size, int) else size[0].shape[size[1]]
            for size in sizes
            if isinstance(size, int) or not size[0].is_open(size[1])
        ]
        if len(known) == len(sizes):
            return self.integers(*known)
        parts = [
            self.integers(size)
            if isinstance(size, int)
            else self._read(Source(size[0], (size[1],)))
            for size in sizes
        ]
        return parts[0] if len(parts) == 1 else str(self.node("Concat", *parts, axis=0))

    def shape_of(self, output: Value, first: int = 0) -> str:
        """Return the shape of an output, from an axis on, as a vector.

        Sizes that may change are computed from those of inputs.
        """
        axes = range(first, len(output.shape))
        if not any(map(output.is_open, axes)):
            return self.integers(*output.shape[first:])
        parts = [self.output_size(output, axis) for axis in axes]
        return parts[0] if len(parts) == 1 else str(self.node("Concat", *parts, axis=0))

    def find_size(self, output: Value, axis: int) -> Source | None:
        """Return from which sizes of inputs that of an output follows; None if it is unknown."""
        sizes = output.sizes(axis)
        return (
            find_source(sizes, self.inputs, whole=True)
            or find_source(sizes, self.graph.inputs, whole=True)
            or find_source(sizes, self.inputs, whole=False)
            or find_source(sizes, self.graph.inputs, whole=False)
        )

    def output_size(self, output: Value, axis: int) -> str:
        """Return the size of an axis of an output as a vector of one element."""
        if not output.is_open(axis):
            return self.integers(output.shape[axis])
        source = self.find_size(output, axis)
        if source is None:
            self.fail(
                f"size {output.shape[axis]} of axis {axis} changes with the inputs in a way that "
                "the export cannot compute",
                _REMEDY,
            )
        return self._read(source)

    def _read(self, source: Source) -> str:
        """Return a size of the running graph as a vector of one element."""
        shape = self.node("Shape", source.value)
        found = self.node("Gather", shape, self.integers(*source.axes), axis=0)
        if len(source.axes) > 1:
            found = self.reduce("ReduceProd", found, 0)
        if source.factor > 1:
            found = self.node("Mul", found, self.integers(source.factor))
        if source.divisor > 1:
            found = self.node("Div", found, self.integers(source.divisor))
        return str(found)

    def require_for_all_sizes(self, condition: object, reason: str) -> None:
        """Raise an error unless a condition holds under which sizes may change."""
        self.require(condition, reason, _REMEDY)

    def require_fixed(self, value: Value, *axes: int) -> None:
        """Raise an error if the size of one of the axes may change."""
        changing = [axis for axis in axes if value.is_open(axis % len(value.shape))]
        self.require_for_all_sizes(
            not changing,
            f"the sizes of axes {changing} of an array of shape {value.shape} may change",
        )

    def arange(self, value: Value, axis: int) -> str:
        """Return the indices along an axis of an input, as a vector of int64."""
        if not value.is_open(axis):
            return self.constant(np.arange(value.shape[axis]), np.int64)
        end = self.node("Squeeze", self.size(value, axis), self.integers(0))
        bounds = [self.constant(0, np.int64), end, self.constant(1, np.int64)]
        return str(self.node("Range", *bounds))
