"""`read`: the symbol and the weights of an ONNX file."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, ValueInfoProto, helper, numpy_helper, shape_inference

from opforge.plugin_api import rules, sym

from ..errors import ImportModelError
from .folding import fold
from .node import Node, Value
from .operators import elementwise, networks, recurrent, reductions, shapes
from .weights import Weights

__all__ = ["FORMAT", "Imported", "load", "read", "shapes_of"]

#: Kind of the rules for nodes that are not here.
FORMAT = "onnx_import"
_OPERATORS = {
    **elementwise.OPERATORS,
    **networks.OPERATORS,
    **recurrent.OPERATORS,
    **reductions.OPERATORS,
    **shapes.OPERATORS,
}
Shape = tuple[int | None, ...]


class Imported(NamedTuple):
    """Network of an ONNX file.

    Parameters
    ----------
    symbol : Symbol
    weights : dict of str to numpy.ndarray
    inputs : list of str
        Names of the inputs, which are variables of the symbol.
    """

    symbol: Any
    weights: dict[str, np.ndarray]
    inputs: list[str]


def load(model: Any) -> ModelProto:
    """Return the model of a file, of its bytes, or itself."""
    if isinstance(model, ModelProto):
        return model
    try:
        if isinstance(model, bytes):
            return onnx.load_model_from_string(model)
        return onnx.load(os.fspath(model))
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ImportModelError(
            f"import of ONNX: {'the model' if isinstance(model, bytes) else model} is no valid "
            f"ONNX file ({type(error).__name__}: {error})"
        ) from error


def shapes_of(infos: Sequence[ValueInfoProto]) -> dict[str, Shape | None]:
    """Return the shapes of inputs or outputs; None for an unknown size or number of dimensions."""
    found: dict[str, Shape | None] = {}
    for info in infos:
        kind = info.type.tensor_type
        found[info.name] = (
            tuple(d.dim_value if d.HasField("dim_value") else None for d in kind.shape.dim)
            if kind.HasField("shape")
            else None
        )
    return found


def read(model: ModelProto, shapes: Mapping[str, Sequence[int]] | None = None) -> Imported:
    """Translate a model.

    Parameters
    ----------
    model : onnx.ModelProto
    shapes : mapping of str to sequence of int, optional
        Shapes of inputs that replace those in the file, whose sizes may be unknown.

    Raises
    ------
    ImportModelError
        A node has no equivalent; the message names it and a remedy.
    """
    if not model.graph.output:
        raise ImportModelError("import of ONNX: the model has no outputs; is it a file of ONNX?")
    opset = max((s.version for s in model.opset_import if s.domain in ("", "ai.onnx")), default=1)
    _set_shapes(model, shapes or {})
    known = _inferred_shapes(model)
    weights = Weights()
    values: dict[str, Value] = {"": None}  # type: ignore[dict-item]
    for tensor in model.graph.initializer:
        values[tensor.name] = Value(None, tuple(tensor.dims), numpy_helper.to_array(tensor))
    inputs = [info for info in model.graph.input if info.name not in values]
    for info in inputs:
        values[info.name] = _input(info)
    for proto in model.graph.node:
        _translate(proto, values, known, opset, weights)
    outputs = []
    for info in model.graph.output:
        value = _get(values, info.name, "the graph")
        symbol = value.symbol
        if symbol is None:
            assert value.constant is not None
            symbol = weights.symbol(info.name, value.constant)
        outputs.append(symbol)
    symbol = outputs[0] if len(outputs) == 1 else sym.Group(outputs)
    read_names = {*symbol.list_arguments(), *symbol.list_auxiliary_states()}
    used = {name: array for name, array in weights.arrays.items() if name in read_names}
    return Imported(symbol, used, [info.name for info in inputs])


def _set_shapes(model: ModelProto, shapes: Mapping[str, Sequence[int]]) -> None:
    infos = {info.name: info for info in model.graph.input}
    for name, shape in shapes.items():
        if name not in infos:
            raise ImportModelError(
                f"import of ONNX: shapes has {name!r}, expected some of the inputs {sorted(infos)}"
            )
        kind = infos[name].type.tensor_type
        kind.ClearField("shape")
        kind.shape.SetInParent()  # a scalar has a shape without dimensions
        for size in shape:
            kind.shape.dim.add().dim_value = int(size)


def _inferred_shapes(model: ModelProto) -> dict[str, Shape | None]:
    """Return the shapes that ONNX infers; without them nodes that need one raise an error."""
    try:
        inferred = shape_inference.infer_shapes(model, data_prop=True)
    except Exception:
        inferred = model
    graph = inferred.graph
    return shapes_of([*graph.value_info, *graph.input, *graph.output])


def _input(info: ValueInfoProto) -> Value:
    shape = shapes_of([info])[info.name]
    number = info.type.tensor_type.elem_type
    if not number:
        raise ImportModelError(
            f"import of ONNX: input {info.name!r} is no tensor; expected tensors only"
        )
    dtype = helper.tensor_dtype_to_np_dtype(number).name
    declared = None if shape is None else tuple(size or 0 for size in shape) or (1,)
    return Value(sym.Variable(info.name, shape=declared, dtype=dtype), shape)


def _get(values: Mapping[str, Value], name: str, where: str) -> Value:
    if name not in values:
        raise ImportModelError(f"import of ONNX: {where} reads {name!r}, which nothing computes")
    return values[name]


def _translate(
    proto: NodeProto,
    values: dict[str, Value],
    known: Mapping[str, Shape | None],
    opset: int,
    weights: Weights,
) -> None:
    """Add the results of a node to `values`."""
    inputs = [_get(values, name, f"node {proto.name!r} ({proto.op_type})") for name in proto.input]
    constants = fold(proto, inputs, opset)
    if constants is not None:
        for name, array in zip(proto.output, constants, strict=False):
            values[name] = Value(None, array.shape, array)
        return
    node = Node(proto, inputs, opset, weights)
    standard = proto.domain in ("", "ai.onnx")
    kind = proto.op_type if standard else f"{proto.domain}.{proto.op_type}"
    translate = rules.find(FORMAT, kind) or (_OPERATORS.get(kind) if standard else None)
    if translate is None:
        node.fail(
            "this node type is not supported",
            f"add a rule: rules.register({FORMAT!r}, {kind!r}) on a function of the node",
        )
    found = translate(node)
    results = found if isinstance(found, list) else [found]
    for name, result in zip(proto.output, results, strict=False):
        values[name] = Value(result, known.get(name))
