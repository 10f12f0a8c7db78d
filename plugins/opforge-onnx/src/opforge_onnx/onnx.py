"""`opforge.onnx`: export of networks to ONNX."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from opforge.plugin_api import F, context, element_type, gluon, sym
from opforge.plugin_api import add_aliases as _add_aliases

from .errors import ExportError, ImportModelError
from .exporting.exporter import OPSET
from .exporting.files import Model, save
from .exporting.inputs import Input
from .exporting.model import build
from .exporting.sources import network_of
from .importing.model import load, read
from .importing.types import kinds_of

__all__ = [
    "ExportError",
    "ImportModelError",
    "export_model",
    "get_model_metadata",
    "import_model",
    "import_to_gluon",
]


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

        model = Model(shape_inference.infer_shapes(model.proto), model.weights)
    path = os.fspath(onnx_file_path)
    save(model, path)
    if verbose:
        print(f"{len(model.proto.graph.node)} nodes, opset {opset}: {path}")
    return path


def import_model(
    model_file: Any, shapes: Mapping[str, Sequence[int]] | None = None
) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Return the symbol, the parameters and the auxiliary states of an ONNX file.

    Parameters
    ----------
    model_file : str, path, bytes or onnx.ModelProto
    shapes : mapping of str to sequence of int, optional
        Shapes of inputs. Sizes that the file leaves open are needed where nodes compute with them.

    Raises
    ------
    ImportModelError
        The file is damaged, or a node has no equivalent; the message names it and a remedy.
    """
    symbol, weights, _ = read(load(model_file), shapes)
    states = set(symbol.list_auxiliary_states())
    arrays = {name: F.array(array, dtype=array.dtype) for name, array in weights.items()}
    return (
        symbol,
        {name: array for name, array in arrays.items() if name not in states},
        {name: array for name, array in arrays.items() if name in states},
    )


def import_to_gluon(
    model_file: Any, ctx: Any = None, shapes: Mapping[str, Sequence[int]] | None = None
) -> Any:
    """Return the network of an ONNX file as a block, which can be trained on.

    Parameters
    ----------
    model_file, shapes
        As for `import_model`.
    ctx : Context or list of Context, optional

    Returns
    -------
    SymbolBlock

    Examples
    --------
    >>> import opforge as mx
    >>> from opforge.gluon import nn
    >>> net = nn.Dense(2, in_units=3)
    >>> net.initialize()
    >>> path = mx.onnx.export_model(net, in_shapes=[(1, 3)], onnx_file_path="/tmp/dense.onnx")
    >>> mx.onnx.import_to_gluon(path)(mx.nd.zeros((1, 3))).shape
    (1, 2)
    """
    symbol, weights, inputs = read(load(model_file), shapes)
    block = gluon.SymbolBlock(symbol, [sym.Variable(name) for name in inputs])
    for name, param in block.collect_params().items():
        array = weights[name]
        param.shape, param.dtype = array.shape, array.dtype
        if not element_type(array.dtype).is_floating:
            param.grad_req = "null"
        param.initialize("zeros", ctx=context.current_context() if ctx is None else ctx)
        param.set_data(F.array(array, dtype=array.dtype))
    return block


def get_model_metadata(model_file: Any) -> dict[str, list[tuple[Any, ...]]]:
    """Return the names and shapes of the inputs and outputs of an ONNX file.

    Parameters
    ----------
    model_file : str, path, bytes or onnx.ModelProto

    Returns
    -------
    dict
        ``"input_tensor_data"``: name, shape and ONNX's number of the element type of each input;
        ``"output_tensor_data"``: name and shape. None is an unknown size.
    """
    graph = load(model_file).graph
    weights = {tensor.name for tensor in graph.initializer}
    given = [info for info in graph.input if info.name not in weights]
    return {
        "input_tensor_data": [
            (*row, info.type.tensor_type.elem_type)
            for row, info in zip(_shapes(given), given, strict=True)
        ],
        "output_tensor_data": _shapes(graph.output),
    }


def _shapes(infos: Iterable[Any]) -> list[tuple[str, Any]]:
    return [(name, kind.shape) for name, kind in kinds_of(infos).items()]


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
