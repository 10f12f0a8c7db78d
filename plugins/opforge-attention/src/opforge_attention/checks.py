"""Sample calls and float64 references of these operators for ``opforge check``."""

from typing import Any

import numpy as np


def weights(scores: Any) -> Any:
    """Return the softmax over the last axis; zeros where all scores are -inf."""
    high = scores.max(-1, keepdims=True, initial=-np.inf)
    raised = np.exp(scores - np.where(np.isinf(high), 0, high))
    total = raised.sum(-1, keepdims=True)
    return raised / np.where(total == 0, 1, total)


def visible(shape: tuple[int, ...], causal: bool, valid_length: Any) -> Any:
    """Return a bool array of `shape`, True where a key is visible to a query."""
    queries, keys = np.arange(shape[-2])[:, np.newaxis], np.arange(shape[-1])
    allowed = keys <= queries if causal else np.ones(shape, bool)
    if valid_length is None:
        return np.broadcast_to(allowed, shape)
    lengths = valid_length if valid_length.ndim > 1 else valid_length[:, np.newaxis]
    between = (1,) * (len(shape) - 3)
    return allowed & (keys < lengths.reshape(len(lengths), *between, -1, 1))


def split_heads(x: Any, heads: int | None) -> Any:
    """Return `x`, shape (batch, length, heads * depth), as (batch, heads, length, depth)."""
    if heads is None:
        return x
    return x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def attention(
    query: Any,
    key: Any,
    value: Any,
    *options: Any,
    num_heads: int | None = None,
    causal: bool = False,
    scale: float | None = None,
    use_mask: bool = False,
    use_length: bool = False,
) -> Any:
    """Compute scaled_dot_product_attention as the reference."""
    mask = options[0] if use_mask else None
    query, key, value = (split_heads(x, num_heads) for x in (query, key, value))
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    scores = query @ key.swapaxes(-1, -2) * scale
    allowed = visible(scores.shape, causal, options[-1] if use_length else None)
    if mask is not None and mask.dtype == np.uint8:
        allowed = allowed & (mask != 0)
    elif mask is not None:
        scores = scores + mask
    out = weights(np.where(allowed, scores, -np.inf)) @ value
    if num_heads is None:
        return out
    return out.swapaxes(1, 2).reshape(out.shape[0], out.shape[2], -1)


def parts(x: Any, heads: int, count: int) -> list[Any]:
    """Return the `count` interleaved arrays in `x`, each (batch * heads, length, depth)."""
    length, batch, _ = x.shape
    split = x.reshape(length, batch * heads, count, -1)
    return [split[:, :, i].swapaxes(0, 1) for i in range(count)]


def scores(queries: Any, keys: Any) -> Any:
    """Return the scores of all pairs of queries and keys."""
    return queries @ keys.swapaxes(1, 2) / queries.shape[-1] ** 0.5


def join_heads(values: Any, batch: int) -> Any:
    """Return `values`, shape (batch * heads, length, depth), as (length, batch, heads * depth)."""
    return values.swapaxes(0, 1).reshape(values.shape[1], batch, -1)


def self_scores(data: Any, heads: int) -> Any:
    """Compute interleaved_matmul_selfatt_qk as the reference."""
    queries, keys, _ = parts(data, heads, 3)
    return scores(queries, keys)


def self_values(data: Any, attention: Any, heads: int) -> Any:
    """Compute interleaved_matmul_selfatt_valatt as the reference."""
    return join_heads(attention @ parts(data, heads, 3)[2], data.shape[1])


def cross_scores(queries: Any, keys_values: Any, heads: int) -> Any:
    """Compute interleaved_matmul_encdec_qk as the reference."""
    return scores(parts(queries, heads, 1)[0], parts(keys_values, heads, 2)[0])


def cross_values(keys_values: Any, attention: Any, heads: int) -> Any:
    """Compute interleaved_matmul_encdec_valatt as the reference."""
    return join_heads(attention @ parts(keys_values, heads, 2)[1], keys_values.shape[1])


def lengths(*values: Any) -> Any:
    """Return lengths as an array."""
    return np.array(values, dtype="int32")


def fused_samples(rng: Any) -> list[Any]:
    """Return calls of fused attention with masks, lengths and heads."""
    rows = [(2, 3, 5, 4), (2, 3, 6, 4), (2, 3, 6, 2)]
    side_by_side = [(2, 5, 12), (2, 6, 12), (2, 6, 6)]
    hiding = (rng.random((2, 1, 5, 6)) > 0.4).astype("uint8")
    hiding[0, 0, 1] = 0
    masked, long = {"use_mask": True}, {"use_length": True}
    return [
        {"inputs": rows},
        {"inputs": [(5, 4), (6, 4), (6, 3)], "attributes": {"causal": True, "scale": 0.3}},
        {"inputs": [*rows, hiding], "attributes": masked, "wanted": [0, 1, 2]},
        {"inputs": [*rows, (3, 5, 6)], "attributes": masked},
        {"inputs": [*rows, (2, 1, 1, 6)], "attributes": masked},
        {"inputs": [*rows, (5, 1)], "attributes": {**masked, "causal": True}},
        {"inputs": [*rows, lengths(4, 0)], "attributes": long, "wanted": [0, 1, 2]},
        {
            "inputs": [*side_by_side, lengths([1, 2, 3, 4, 5], [0, 6, 9, -1, 2])],
            "attributes": {**long, "num_heads": 3, "causal": True},
            "wanted": [0, 1, 2],
        },
        {
            "inputs": [*side_by_side, (2, 3, 1, 6), lengths(3, 5)],
            "attributes": {**long, **masked, "num_heads": 3},
            "wanted": [0, 1, 2, 3],
        },
    ]


def with_heads(*inputs: Any) -> list[Any]:
    """Return a call with two heads."""
    return [{"inputs": list(inputs), "attributes": {"heads": 2}}]


OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "scaled_dot_product_attention": {"reference": attention, "samples": fused_samples},
    "_contrib_interleaved_matmul_selfatt_qk": {
        "reference": self_scores,
        "samples": with_heads((3, 2, 24)),
    },
    "_contrib_interleaved_matmul_selfatt_valatt": {
        "reference": self_values,
        "samples": with_heads((3, 2, 24), (4, 3, 3)),
    },
    "_contrib_interleaved_matmul_encdec_qk": {
        "reference": cross_scores,
        "samples": with_heads((3, 2, 8), (5, 2, 16)),
    },
    "_contrib_interleaved_matmul_encdec_valatt": {
        "reference": cross_values,
        "samples": with_heads((5, 2, 16), (4, 3, 5)),
    },
}

LAYER_CHECKS: dict[str, dict[str, Any]] = {
    "MultiHeadAttention": {
        "samples": [{"arguments": {"units": 6, "num_heads": 2}, "inputs": [(2, 5, 4)]}],
    },
}
