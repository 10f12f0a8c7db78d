"""Shape inference with NumPy's semantics: 0 and () are valid, -1 is unknown.

Inference itself treats 0 and () as unknown. If all input shapes of a node are known, including
zeros, its operator is called once more with these shapes, as for arrays.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from ...base.integers import as_integers
from ...op.declaring.inference import infer_shapes
from ..node import Edge, Node
from ..variable_attributes import declared_shape
from .propagation import Inference

__all__ = ["numpy_shapes"]

Shape = tuple[int, ...]


def numpy_shapes(
    order: Iterable[Node], given: Mapping[str, Any], found: Inference
) -> dict[Edge, Shape | None]:
    """Return the shape of each output of a graph's nodes; None if nothing is known about it.

    Parameters
    ----------
    order : list of Node
        All nodes in topological order.
    given : dict of str to tuple of int
        Shapes of variables.
    found : Inference
        Result of inference for the dimensions that are not 0.
    """
    shapes: dict[Edge, Shape | None] = {}
    for node in order:
        exact = (
            _declared_shape(node, given)
            if node.operation is None
            else _inferred_shapes(node, shapes)
        )
        for index in range(node.num_outputs):
            shape = found.of((node, index)).shape
            partial = tuple(size or -1 for size in shape) if shape else None
            shapes[node, index] = partial if exact is None else exact[index]
    return shapes


def _declared_shape(node: Node, given: Mapping[str, Any]) -> list[Shape] | None:
    """Return the given or declared shape of a variable, if it is complete."""
    shape = given.get(node.name)
    if shape is None:
        shape = declared_shape(node)
    if shape is None or any(size < 0 for size in shape):
        return None
    return [as_integers(shape, f"shape of {node.name!r}")]


def _inferred_shapes(node: Node, shapes: Mapping[Edge, Shape | None]) -> list[Shape] | None:
    """Return the output shapes according to the operator, if all input shapes are known."""
    assert node.operation is not None
    inputs = [shapes[edge] for edge in node.inputs[: node.operation.n_arguments]]
    if any(shape is None or -1 in shape for shape in inputs):
        return None
    found = list(infer_shapes(node.operation.prop, node.operation.entry, inputs)[1])
    if node.operation.shapes_from_values and any(0 in shape for shape in found):
        return None  # its zeros are dimensions that depend on values
    return found
