"""`ValueLayouts`: one value of a graph, in every memory layout it is available in.

A conversion is inserted when a layout is first requested: `_block`, `_unblock`, a reshape if the
order of the elements does not change, or an operator that prepares a weight.
"""

from collections.abc import Sequence
from typing import Any

from ...op.declaring.layouts import Blocked, Prepared, Step
from .._namespace import operators
from ..node import Edge
from ..symbol import Symbol

__all__ = ["Steps", "ValueLayouts"]

#: Steps that lead to a layout, in order; () is the plain layout that users see.
Steps = tuple[Step, ...]


class ValueLayouts:
    """One value of the graph, in every memory layout it is available in.

    Parameters
    ----------
    edge : (Node, int)
        Node and output that compute the value.
    layout : tuple of Blocked or Prepared
        Layout in which it is computed.
    shape : tuple of int
        Shape in the plain layout.
    """

    def __init__(self, edge: Edge, layout: Steps, shape: tuple[int, ...]) -> None:
        self.layout = layout
        self.shape = shape
        self._edges = {layout: edge}

    def has(self, layout: Steps) -> bool:
        """Return whether the value is already available in a layout."""
        return layout in self._edges

    def in_layout(self, layout: Steps) -> Edge:
        """Return the value in a layout; a missing conversion is added to the graph."""
        if layout not in self._edges:
            if layout:
                made = _apply_step(self.in_layout(layout[:-1]), layout[-1])
            else:
                made = self._edges[self.layout]
                for step in reversed(self.layout):
                    assert isinstance(step, Blocked)  # outputs are never Prepared
                    made = _undo_step(made, step)
            self._edges[layout] = made
        return self._edges[layout]


def _apply_step(edge: Edge, step: Step) -> Edge:
    if isinstance(step, Prepared):
        return _call(step.operator, edge)
    shape = edge[0].types[edge[1]].shape
    if _is_same_memory(shape, step):
        return _call("Reshape", edge, shape=step.shape(shape))
    return _call("_block", edge, axis=step.axis, lanes=step.lanes)


def _undo_step(edge: Edge, step: Blocked) -> Edge:
    shape = edge[0].types[edge[1]].shape
    merged = (*shape[: step.axis], shape[step.axis] * step.lanes, *shape[step.axis + 1 : -1])
    if _is_same_memory(merged, step):
        return _call("Reshape", edge, shape=merged)
    return _call("_unblock", edge, axis=step.axis)


def _is_same_memory(shape: Sequence[int], step: Blocked) -> bool:
    """Return whether blocking an array leaves the order of its elements unchanged."""
    return step.lanes == 1 or all(size == 1 for size in shape[step.axis + 1 :])


def _call(name: str, edge: Edge, **attributes: Any) -> Edge:
    made: Edge = getattr(operators(), name)(Symbol([edge]), **attributes).edges[0]
    return made
