"""Files of ONNX models, written from the memory of the weights and replaced once complete.

Protobuf copies a weight into its message, and again to serialize it. Here the bytes of large
weights never enter a message.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import GraphProto, ModelProto, TensorProto

from opforge.plugin_api import files

__all__ = ["EMBEDDED_LIMIT", "SMALL", "Model", "little_endian", "save"]

#: Bytes of weights beyond which they go to a separate file; protobuf ends at 2 GiB.
EMBEDDED_LIMIT = 2_000_000_000
#: Bytes of a weight that stays in the message of the graph: inference of shapes reads it.
SMALL = 1024
#: Programs map weights into memory at multiples of a page.
_PAGE = 4096
#: Type of a protobuf field that states its length.
_BYTES = 2


@dataclass(frozen=True)
class Model:
    """ONNX model without the bytes of its large weights.

    Parameters
    ----------
    proto : onnx.ModelProto
        Large initializers have a shape and an element type only.
    weights : mapping of str to numpy.ndarray
        Large initializers by name.
    """

    proto: ModelProto
    weights: Mapping[str, np.ndarray]


def save(model: Model, path: Any) -> None:
    """Write a model; weights of more than 2 GB go to a second file ``PATH.data``.

    Parameters
    ----------
    model : Model
    path : str or path
    """
    target = os.fspath(path)
    proto = ModelProto()
    proto.CopyFrom(model.proto)
    if sum(array.nbytes for array in model.weights.values()) <= EMBEDDED_LIMIT:
        with files.replacing(target) as file:
            file.writelines(_single_file(proto, model.weights))
        return
    data = f"{target}.data"
    with files.replacing_together():
        with files.replacing(data) as file:
            file.writelines(_external(proto, model.weights, os.path.basename(data)))
        with files.replacing(target) as file:
            file.write(proto.SerializeToString())


def _single_file(proto: ModelProto, weights: Mapping[str, np.ndarray]) -> Iterator[Any]:
    """Yield the bytes of a file with all weights, whose initializers are the last field."""
    tensors = list(proto.graph.initializer)
    sizes = [_size(tensor, weights.get(tensor.name)) for tensor in tensors]
    heads = [_head(GraphProto.INITIALIZER_FIELD_NUMBER, size) for size in sizes]
    graph = GraphProto()
    graph.CopyFrom(proto.graph)
    del graph.initializer[:]
    content = graph.SerializeToString()
    proto.ClearField("graph")
    yield proto.SerializeToString()
    total = len(content) + sum(sizes) + sum(map(len, heads))
    yield _head(ModelProto.GRAPH_FIELD_NUMBER, total)
    yield content
    for tensor, head in zip(tensors, heads, strict=True):
        yield head
        yield from _tensor(tensor, weights.get(tensor.name))


def _tensor(tensor: TensorProto, values: np.ndarray | None) -> Iterator[Any]:
    """Yield the parts of a serialized tensor."""
    yield tensor.SerializeToString()
    if values is not None:
        yield _head(TensorProto.RAW_DATA_FIELD_NUMBER, values.nbytes)
        yield little_endian(values)


def _size(tensor: TensorProto, values: np.ndarray | None) -> int:
    """Return the number of bytes of a serialized tensor."""
    if values is None:
        return int(tensor.ByteSize())
    head = _head(TensorProto.RAW_DATA_FIELD_NUMBER, values.nbytes)
    return int(tensor.ByteSize()) + len(head) + values.nbytes


def _external(proto: ModelProto, weights: Mapping[str, np.ndarray], location: str) -> Iterator[Any]:
    """Yield the bytes of the second file, and note in the model where each weight is."""
    at = 0
    for tensor in proto.graph.initializer:
        values = weights.get(tensor.name)
        if values is None:
            continue
        padding = -at % _PAGE
        yield bytes(padding)
        yield little_endian(values)
        tensor.data_location = TensorProto.EXTERNAL
        entries = {"location": location, "offset": at + padding, "length": values.nbytes}
        for key, value in entries.items():
            tensor.external_data.add(key=key, value=str(value))
        at += padding + values.nbytes


def _head(number: int, length: int) -> bytes:
    """Return what precedes the bytes of a protobuf field: its number, its type and its length.

    Examples
    --------
    >>> _head(5, 300).hex(" ")
    '2a ac 02'
    """
    found = bytearray([number << 3 | _BYTES])
    while length > 0x7F:
        found.append(length & 0x7F | 0x80)
        length >>= 7
    return bytes([*found, length])


def little_endian(values: np.ndarray) -> memoryview:
    """Return the bytes of an array as ONNX has them, without a copy where they are so already."""
    stored = values.dtype.newbyteorder("<") if values.dtype.isbuiltin == 1 else values.dtype
    packed = np.ascontiguousarray(values.astype(stored, copy=False))
    return packed.reshape(-1).view(np.uint8).data
