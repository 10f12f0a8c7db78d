"""Shapes of a graph with NumPy's meaning: 0 and () are lengths and shapes, -1 is unknown.

Inference itself takes 0 and () for unknown. Where all inputs of a node are known, zeros included,
its operator is asked once more with these, as a call on arrays asks it.
"""

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from ...op.declaring.inference import infer_shapes
from ..node import Edge, Node
from .propagation import Inference

__all__ = ["numpy_shapes"]

Shape = tuple[int, ...]


def numpy_shapes(
    order: Iterable[Node], given: Mapping[str, Any], found: Inference
) -> dict[Edge, Shape | None]:
    """Return the shape of each output of a graph's nodes; None where nothing is known.

    Parameters
    ----------
    order : list of Node
        All nodes, inputs before their users.
    given : dict of str to tuple of int
        Shapes of variables.
    found : Inference
        What follows from the lengths that are not 0.
    """
    shapes: dict[Edge, Shape | None] = {}
    for node in order:
        exact = _given(node, given) if node.operation is None else _answered(node, shapes)
        for index in range(node.num_outputs):
            shape = found.of((node, index)).shape
            partial = tuple(size or -1 for size in shape) if shape else None
            shapes[node, index] = partial if exact is None else exact[index]
    return shapes


def _given(node: Node, given: Mapping[str, Any]) -> list[Shape] | None:
    """Return the shape that a variable was given, here or when it was made, if it is whole."""
    shape = given.get(node.name)
    if shape is None:
        text = node.attrs.get("__shape__")
        shape = None if text is None else ast.literal_eval(text)
    if shape is None or any(size < 0 for size in shape):
        return None
    return [tuple(int(size) for size in shape)]


def _answered(node: Node, shapes: Mapping[Edge, Shape | None]) -> list[Shape] | None:
    """Return the shapes that the operator tells where those of all inputs are known."""
    assert node.operation is not None
    if node.operation.shapes_from_values:
        return None  # its zeros are lengths that nobody knows
    inputs = [shapes[edge] for edge in node.inputs[: node.operation.n_arguments]]
    if any(shape is None or -1 in shape for shape in inputs):
        return None
    return list(infer_shapes(node.operation.prop, node.operation.entry, inputs)[1])
