"""Translation of attention to ONNX, fused or with interleaved projections.

Results are marked: the import calls the operators, which compute faster than the nodes.
"""

from collections.abc import Sequence
from functools import reduce
from math import inf, sqrt
from typing import Any

import numpy as np

__all__ = ["cross_scores", "cross_values", "fused", "self_scores", "self_values"]


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
    scores = _scores(call, queries, keys, data.shape[2] // (3 * prop.heads))
    return call.mark(scores, prop)


def self_values(prop: Any, call: Any) -> Any:
    """Translate interleaved_matmul_selfatt_valatt."""
    data, attention = call.inputs
    values = _head_parts(call, data, prop.heads, 3)[2]
    return call.mark(_mix_values(call, attention, values, prop.heads), prop)


def cross_scores(prop: Any, call: Any) -> Any:
    """Translate interleaved_matmul_encdec_qk."""
    queries, keys_values = call.inputs
    (query,) = _head_parts(call, queries, prop.heads, 1)
    key, _ = _head_parts(call, keys_values, prop.heads, 2)
    return call.mark(_scores(call, query, key, queries.shape[2] // prop.heads), prop)


def cross_values(prop: Any, call: Any) -> Any:
    """Translate interleaved_matmul_encdec_valatt."""
    keys_values, attention = call.inputs
    values = _head_parts(call, keys_values, prop.heads, 2)[1]
    return call.mark(_mix_values(call, attention, values, prop.heads), prop)


def fused(prop: Any, call: Any) -> Any:
    """Translate scaled_dot_product_attention."""
    query, key, value = call.inputs[:3]
    options = list(call.inputs[3:])
    mask = options.pop(0) if prop.use_mask else None
    length = options.pop(0) if prop.use_length else None
    heads, rank = prop.num_heads, len(query.shape) + (prop.num_heads is not None)
    depth = query.shape[-1] // (heads or 1)
    call.require_fixed(query, -1)
    call.require_fixed(value, -1)
    scale = 1 / sqrt(depth) if prop.scale is None else prop.scale
    queries, values = (_split_heads(call, x, heads) for x in (query, value))
    scaled = call.node("Mul", queries, call.constant(scale))
    scores = call.node("MatMul", scaled, _columns(call, key, heads, rank))
    if mask is not None and np.dtype(mask.dtype).kind not in "bu":
        scores = call.node("Add", scores, mask)
    conditions = _visible(call, prop.causal, mask, length, rank)
    weights = _weights(call, scores, conditions, mask is not None or length is not None)
    return call.mark(_join_heads(call, call.node("MatMul", weights, values), heads), prop)


def _split_heads(call: Any, x: Any, heads: int | None, perm: Sequence[int] = (0, 2, 1, 3)) -> Any:
    """Return (batch, length, heads * depth) as (batch, heads, length, depth) or another order."""
    if heads is None:
        return x
    split = call.node("Reshape", x, call.integers(0, 0, heads, x.shape[2] // heads))
    return call.node("Transpose", split, perm=perm)


def _columns(call: Any, key: Any, heads: int | None, rank: int) -> str:
    """Return the keys as (..., depth, length)."""
    if heads is None:
        return str(call.node("Transpose", key, perm=[*range(rank - 2), rank - 1, rank - 2]))
    return str(_split_heads(call, key, heads, (0, 2, 3, 1)))


def _join_heads(call: Any, found: str, heads: int | None) -> str:
    """Return (batch, heads, length, depth) as (batch, length, heads * depth)."""
    if heads is None:
        return found
    moved = call.node("Transpose", found, perm=[0, 2, 1, 3])
    return str(call.node("Reshape", moved, call.integers(0, 0, call.outputs[0].shape[2])))


def _visible(call: Any, causal: bool, mask: Any, length: Any, rank: int) -> list[str]:
    """Return conditions under which a query sees a key; they broadcast to the scores."""
    query, key = call.inputs[:2]
    found = []
    keys = call.arange(key, len(key.shape) - 2)
    if causal:
        rows = call.arange(query, len(query.shape) - 2)
        column = call.node("Unsqueeze", rows, call.integers(1))
        found.append(call.node("GreaterOrEqual", column, keys))
    if mask is not None and np.dtype(mask.dtype).kind in "bu":
        found.append(call.cast(mask, bool))
    if length is not None:
        axes = [*range(1, rank - 2), -1] if len(length.shape) == 2 else range(1, rank)
        counts = call.node("Unsqueeze", call.cast(length, np.int64), call.integers(*axes))
        found.append(call.node("Less", keys, counts))
    return found


def _weights(call: Any, scores: str, conditions: list[str], may_hide_all: bool) -> str:
    """Return the softmax over the visible keys; a query without any gets zeros."""
    hidden = call.constant(-inf)
    if conditions:
        visible = reduce(lambda a, b: call.node("And", a, b), conditions)
        scores = call.node("Where", visible, scores, hidden)
    weights = str(call.node("Softmax", scores, axis=-1))
    if not may_hide_all:
        return weights
    return str(call.node("Where", call.node("Equal", scores, hidden), call.constant(0), weights))
