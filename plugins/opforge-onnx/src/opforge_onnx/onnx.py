"""`opforge.onnx`: export of networks to ONNX."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from opforge.plugin_api import add_aliases as _add_aliases

from .errors import ExportError
from .exporting.exporter import OPSET
from .exporting.files import save
from .exporting.model import Input, build
from .exporting.sources import network_of

__all__ = ["ExportError", "export_model"]


def export_model(
    sym: Any,
    params: Any = None,
    in_shapes: Sequence[tuple[int, ...]] | None = None,
    in_types: Any = np.float32,
    onnx_file_path: Any = "model.onnx",
    verbose: bool = False,
    dynamic: bool = False,
    dynamic_input_shapes: Sequence[Sequence[Any]] | None = None,
    run_shape_inference: bool = False,
    input_type: Any = None,
    input_shape: Sequence[tuple[int, ...]] | None = None,
    *,
    opset: int = OPSET,
) -> str:
    """Write a network in ONNX, for ONNX Runtime, OpenVINO and other programs.

    Parameters
    ----------
    sym : HybridBlock, Symbol, str or path
        A block with its weights, a symbol, or the file ``NAME-symbol.json``.
    params : mapping, str or path, optional
        Weights of a symbol by name, or their ``.params`` file; not needed for a block.
    in_shapes : list of tuple of int
        Shape of each input. Labels of losses need none; they are not part of the file.
    in_types : dtype or list of dtype, default float32
        Of the inputs.
    onnx_file_path : str or path, default "model.onnx"
        If the weights exceed 2 GB, they are written to ``PATH.data`` next to it.
    verbose : bool, default False
        Whether the number of nodes is printed.
    dynamic : bool, default False
        Whether sizes of the inputs may change: those of `dynamic_input_shapes`, or else the first,
        the batch.
    dynamic_input_shapes : list of tuple, optional
        Shapes with a name or None where a size may change: ``[("batch", 3, "height", "width")]``.
    run_shape_inference : bool, default False
        Whether shapes of values inside of the graph are stored, too.
    input_type, input_shape
        Older names of `in_types` and `in_shapes`.
    opset : int, default 21
        Version of ONNX's operators, from 13.

    Returns
    -------
    str
        Path of the file.

    Raises
    ------
    ExportError
        ONNX cannot express an operator; the message names the node, the reason and a remedy.

    Examples
    --------
    >>> import opforge as mx
    >>> from opforge.gluon import nn
    >>> net = nn.Dense(2, in_units=3)
    >>> net.initialize()
    >>> path = mx.onnx.export_model(net, in_shapes=[(1, 3)], onnx_file_path="/tmp/dense.onnx")
    >>> path
    '/tmp/dense.onnx'
    """
    shapes = in_shapes if in_shapes is not None else input_shape
    if shapes is None:
        raise ExportError("export to ONNX: in_shapes is missing; pass the shape of each input")
    shapes = [shapes] if shapes and isinstance(shapes[0], int) else list(shapes)
    types = _list_types(input_type if input_type is not None else in_types, len(shapes))
    sizes = _dynamic_sizes(shapes, dynamic, dynamic_input_shapes)
    inputs = [Input(*given) for given in zip(shapes, types, sizes, strict=True)]
    model = build(network_of(sym, params, shapes, types), inputs, opset)
    if run_shape_inference:
        from onnx import shape_inference

        model = shape_inference.infer_shapes(model)
    path = os.fspath(onnx_file_path)
    save(model, path)
    if verbose:
        print(f"{len(model.graph.node)} nodes, opset {opset}: {path}")
    return path


def _list_types(types: Any, count: int) -> list[Any]:
    """Return a dtype for each input."""
    found = list(types) if isinstance(types, (list, tuple)) else [types] * count
    if len(found) == 1:
        found *= count
    if len(found) != count:
        raise ExportError(
            f"export to ONNX: {len(found)} dtypes for {count} shapes; pass one for each"
        )
    return found


def _dynamic_sizes(
    shapes: Sequence[tuple[int, ...]], dynamic: bool, given: Sequence[Sequence[Any]] | None
) -> list[Sequence[Any]]:
    if not dynamic:
        return list(shapes)
    if given is None:
        return [("batch", *shape[1:]) for shape in shapes]
    if len(given) != len(shapes):
        raise ExportError(
            f"export to ONNX: {len(given)} dynamic_input_shapes for {len(shapes)} shapes; pass one "
            "for each"
        )
    return list(given)


_add_aliases(__name__)
