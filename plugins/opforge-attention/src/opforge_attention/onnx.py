"""Translation of attention with interleaved projections to ONNX."""

from math import sqrt
from typing import Any

__all__ = ["cross_scores", "cross_values", "self_scores", "self_values"]


def _head_parts(call: Any, value: Any, heads: int, parts: int) -> list[str]:
    """Return each part of a projection as (batch * heads, length, depth)."""
    call.require_fixed(value, 2)
    depth = value.shape[2] // (parts * heads)
    split = call.node("Reshape", value, call.integers(0, 0, heads, parts, depth))
    moved = call.node("Transpose", split, perm=[3, 1, 2, 0, 4])
    # (parts, batch, heads, length, depth)
    flat = call.node("Reshape", moved, call.shape_vector(parts, -1, (value, 0), depth))
    found = []
    for index in range(parts):
        found.append(call.node("Gather", flat, call.constant(index, "int64"), axis=0))
    return found


def _scores(call: Any, queries: str, keys: str, depth: int) -> Any:
    scaled = call.node("Mul", queries, call.constant(1 / sqrt(depth)))
    return call.node("MatMul", scaled, call.node("Transpose", keys, perm=[0, 2, 1]))


def _mix_values(call: Any, attention: Any, values: str, heads: int) -> Any:
    """Return attention weights times values as (length, batch, heads * depth)."""
    width = call.outputs[0].shape[2]
    found = call.node("MatMul", attention, values)
    shape = call.shape_vector(-1, heads, (attention, 1), width // heads)
    moved = call.node("Transpose", call.node("Reshape", found, shape), perm=[2, 0, 1, 3])
    return call.node("Reshape", moved, call.integers(0, 0, width))


def self_scores(prop: Any, call: Any) -> Any:
    """Translate interleaved_matmul_selfatt_qk."""
    (data,) = call.inputs
    queries, keys, _ = _head_parts(call, data, prop.heads, 3)
    return _scores(call, queries, keys, data.shape[2] // (3 * prop.heads))


def self_values(prop: Any, call: Any) -> Any:
    """Translate interleaved_matmul_selfatt_valatt."""
    data, attention = call.inputs
    return _mix_values(call, attention, _head_parts(call, data, prop.heads, 3)[2], prop.heads)


def cross_scores(prop: Any, call: Any) -> Any:
    """Translate interleaved_matmul_encdec_qk."""
    queries, keys_values = call.inputs
    (query,) = _head_parts(call, queries, prop.heads, 1)
    key, _ = _head_parts(call, keys_values, prop.heads, 2)
    return _scores(call, query, key, queries.shape[2] // prop.heads)


def cross_values(prop: Any, call: Any) -> Any:
    """Translate interleaved_matmul_encdec_valatt."""
    keys_values, attention = call.inputs
    return _mix_values(
        call, attention, _head_parts(call, keys_values, prop.heads, 2)[1], prop.heads
    )
