"""Shapes and dtypes of all values of a symbol."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from opforge.plugin_api import sym

from ..errors import ExportError

__all__ = ["Types", "types_of"]

#: (Node, index of its output) -> shape and dtype.
Types = dict[tuple[Any, int], tuple[tuple[int, ...], np.dtype]]


def types_of(
    symbol: "sym.Symbol", shapes: Mapping[str, tuple[int, ...]], dtypes: Mapping[str, Any]
) -> Types:
    """Return shape and dtype of each value of a graph.

    Parameters
    ----------
    symbol : Symbol
    shapes, dtypes : mapping
        Of inputs and weights, by name; the others are inferred.

    Raises
    ------
    ShapeError, DTypeError
        The inputs do not match, or do not determine all shapes.
    """
    inside = symbol.get_internals()
    known = {*inside.list_arguments(), *inside.list_auxiliary_states()}
    _, out_shapes, _ = inside.infer_shape_partial(
        **{name: shape for name, shape in shapes.items() if name in known}
    )
    _, out_types, _ = inside.infer_type(
        **{name: dtype for name, dtype in dtypes.items() if name in known}
    )
    edges = list(zip(inside.edges, out_shapes, out_types, strict=True))
    for (node, _), shape, _ in edges:
        if (not shape or 0 in shape) and not _depends_on_values(node):
            raise _unknown_shape(inside, node, shape)
    return {edge: (tuple(shape), np.dtype(dtype)) for edge, shape, dtype in edges}


def _depends_on_values(node: Any) -> bool:
    """Return whether the shapes of the outputs follow from values; unknown sizes are 0 then."""
    return not node.is_variable and node.operation.shapes_from_values


def _unknown_shape(inside: Any, node: Any, shape: Any) -> ExportError:
    """Return the error for an array whose shape is not known before the graph runs."""
    where = f"variable {node.name!r}"
    if not node.is_variable:
        where = f"node {node.name!r} (operator {node.operation.entry.name!r})"
    text = f"export to ONNX: {where}: its shape {shape} is unknown or empty; "
    selecting = [other.name for other in inside.nodes() if _depends_on_values(other)]
    if selecting:
        return ExportError(
            f"{text}the sizes of {selecting} depend on values: let only the outputs of the graph "
            "read them, or keep the size, for instance by where or SequenceMask"
        )
    return ExportError(f"{text}the shapes of the inputs do not determine it; give all sizes")
