"""`Kind`: shapes and element types of values, as ONNX infers them."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from onnx import GraphProto, ModelProto, ValueInfoProto, helper, numpy_helper, shape_inference

__all__ = ["Kind", "Shape", "infer", "infer_graph", "kinds_of"]

Shape = tuple[int | None, ...]
#: Bytes of a constant that may be read by inference.
_SMALL = 1024


class Kind(NamedTuple):
    """Shape, with None for unknown sizes, and element type of a value; None if it is unknown."""

    shape: Shape | None = None
    dtype: np.dtype | None = None


def kinds_of(infos: Iterable[ValueInfoProto]) -> dict[str, Kind]:
    """Return the kinds of inputs or outputs by name."""
    found = {}
    for info in infos:
        kind = info.type.tensor_type
        sizes = kind.shape.dim
        shape = tuple(d.dim_value if d.HasField("dim_value") else None for d in sizes)
        dtype = helper.tensor_dtype_to_np_dtype(kind.elem_type) if kind.elem_type else None
        found[info.name] = Kind(shape if kind.HasField("shape") else None, dtype)
    return found


def infer(model: ModelProto) -> ModelProto:
    """Return the model with the types that ONNX infers."""
    try:
        return shape_inference.infer_shapes(model, data_prop=True)
    except Exception:  # opforge infers shapes then
        return model


def infer_graph(
    graph: GraphProto, given: Mapping[str, Kind], numbers: Mapping[str, np.ndarray], opset: int
) -> dict[str, Kind]:
    """Return the kinds of the results in the graph of a node.

    Parameters
    ----------
    graph : onnx.GraphProto
    given : mapping of str to Kind
        Inputs, and values around it that it reads.
    numbers : mapping of str to numpy.ndarray
        Those of them that are constant; small ones may be axes and shapes.
    opset : int
    """
    model = helper.make_model(GraphProto(), opset_imports=[helper.make_opsetid("", opset)])
    model.graph.CopyFrom(graph)
    del model.graph.input[:], model.graph.value_info[:]
    for name, kind in given.items():
        if kind.dtype is not None:
            number = helper.np_dtype_to_tensor_dtype(kind.dtype)
            model.graph.input.append(helper.make_tensor_value_info(name, number, kind.shape))
    for name, array in numbers.items():
        if array.nbytes <= _SMALL:
            model.graph.initializer.append(numpy_helper.from_array(array, name))
    found = infer(model).graph
    return kinds_of([*found.value_info, *found.output])
