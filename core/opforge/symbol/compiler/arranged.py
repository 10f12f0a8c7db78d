"""`Arranged`: one value of a graph, in the layouts in which it is there.

Conversions are made when a layout is first asked for: `_block`, `_unblock`, a reshape where the
elements stand in the same order, or an operator that prepares a weight.
"""

from collections.abc import Sequence
from typing import Any

from ...op.declaring.layouts import Blocked, Prepared, Step
from .._namespace import operators
from ..node import Edge
from ..symbol import Symbol

__all__ = ["Arranged", "Steps"]

#: The steps that lead to a layout, one after the other; () is the one that programs see.
Steps = tuple[Step, ...]


class Arranged:
    """One value of the graph, in the layouts in which it is there.

    Parameters
    ----------
    edge : (Node, int)
        What computes it.
    layout : tuple of Blocked or Prepared
        How it is computed.
    shape : tuple of int
        Before any axis is divided.
    """

    def __init__(self, edge: Edge, layout: Steps, shape: tuple[int, ...]) -> None:
        self.layout = layout
        self.shape = shape
        self._edges = {layout: edge}

    def is_there(self, layout: Steps) -> bool:
        """Tell whether it was computed or converted to a layout already."""
        return layout in self._edges

    def arranged(self, layout: Steps) -> Edge:
        """Return the value in a layout, converted where nobody has done it before."""
        if layout not in self._edges:
            if layout:
                made = _taken(self.arranged(layout[:-1]), layout[-1])
            else:
                made = self._edges[self.layout]
                for step in reversed(self.layout):
                    assert isinstance(step, Blocked)  # as outputs are
                    made = _joined(made, step)
            self._edges[layout] = made
        return self._edges[layout]


def _taken(edge: Edge, step: Step) -> Edge:
    if isinstance(step, Prepared):
        return _called(step.operator, edge)
    shape = edge[0].types[edge[1]].shape
    if _is_same_memory(shape, step):
        return _called("Reshape", edge, shape=step.shape(shape))
    return _called("_block", edge, axis=step.axis, lanes=step.lanes)


def _joined(edge: Edge, step: Blocked) -> Edge:
    shape = edge[0].types[edge[1]].shape
    joined = (*shape[: step.axis], shape[step.axis] * step.lanes, *shape[step.axis + 1 : -1])
    if _is_same_memory(joined, step):
        return _called("Reshape", edge, shape=joined)
    return _called("_unblock", edge, axis=step.axis)


def _is_same_memory(shape: Sequence[int], step: Blocked) -> bool:
    """Tell whether the elements of an array stand in the same order when it is divided."""
    return step.lanes == 1 or all(size == 1 for size in shape[step.axis + 1 :])


def _called(name: str, edge: Edge, **attributes: Any) -> Edge:
    made: Edge = getattr(operators(), name)(Symbol([edge]), **attributes).edges[0]
    return made
