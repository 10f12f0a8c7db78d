"""Evaluation of nodes whose inputs are known while the file is read, such as target shapes."""

from collections.abc import Sequence

import numpy as np
from onnx import NodeProto, helper, numpy_helper

from .node import Value

__all__ = ["fold", "transpose"]

#: Nodes whose results differ in each run.
_RANDOM = ("RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Bernoulli")
#: Largest result in elements; others are computed by the graph.
_MOST = 1_000_000


def fold(proto: NodeProto, inputs: Sequence[Value | None], opset: int) -> list[np.ndarray] | None:
    """Return the results of a node, or None if the graph has to compute them.

    Parameters
    ----------
    proto : onnx.NodeProto
    inputs : sequence of Value or None
    opset : int
    """
    if proto.op_type in ("Shape", "Size"):
        return _of_shape(proto, inputs[0])
    if proto.domain not in ("", "ai.onnx") or proto.op_type in _RANDOM:
        return None
    given = [item.constant if item is not None else None for item in inputs]
    if any(value is None and item is not None for value, item in zip(given, inputs, strict=True)):
        return None
    if sum(value.size for value in given if value is not None) > _MOST:
        return None
    return _evaluate(proto, given, opset)


def transpose(proto: NodeProto, inputs: Sequence[Value | None], name: str) -> Value | None:
    """Return the known matrix of which a node swaps the axes, as a view; None for other nodes."""
    value = inputs[0] if proto.op_type == "Transpose" and inputs else None
    if proto.domain not in ("", "ai.onnx") or value is None or value.constant is None:
        return None
    order = next((list(item.ints) for item in proto.attribute if item.name == "perm"), [1, 0])
    if value.constant.ndim != 2 or order != [1, 0]:
        return None
    matrix = value.constant.T
    return Value(None, matrix.shape, matrix, name, matrix.dtype, value)


def _of_shape(proto: NodeProto, value: Value | None) -> list[np.ndarray] | None:
    shape = None if value is None else value.full_shape()
    if shape is None or None in shape:
        return None
    sizes = np.array(shape, np.int64)
    if proto.op_type == "Size":
        return [np.array(sizes.prod(), np.int64)]
    bounds = {item.name: helper.get_attribute_value(item) for item in proto.attribute}
    return [sizes[slice(bounds.get("start", 0), bounds.get("end"))]]


def _evaluate(
    proto: NodeProto, given: Sequence[np.ndarray | None], opset: int
) -> list[np.ndarray] | None:
    """Run a node on its own; nodes with graphs inside are left to the caller."""
    from onnx.reference import ReferenceEvaluator

    if any(item.HasField("g") or item.graphs for item in proto.attribute):
        return None
    named = {
        name: value for name, value in zip(proto.input, given, strict=True) if value is not None
    }
    graph = helper.make_graph(
        [proto],
        "node",
        [],
        [helper.make_empty_tensor_value_info(name) for name in proto.output if name],
        [numpy_helper.from_array(value, name) for name, value in named.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    try:
        found = ReferenceEvaluator(model).run(None, {})
    except Exception:
        return None
    return [np.asarray(item) for item in found]
