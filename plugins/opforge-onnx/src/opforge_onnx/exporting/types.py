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
    if any(not shape or 0 in shape for shape in out_shapes):
        raise ExportError(
            "export to ONNX: the shapes of the inputs do not determine all shapes, or some part is "
            "empty; give all sizes"
        )
    return {
        edge: (tuple(shape), np.dtype(dtype))
        for edge, shape, dtype in zip(inside.edges, out_shapes, out_types, strict=True)
    }
