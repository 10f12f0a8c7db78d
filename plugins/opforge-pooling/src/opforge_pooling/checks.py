"""Sample calls and float64 references of these operators for ``opforge check``."""

import math
from functools import reduce
from itertools import product
from typing import Any

import numpy as np

#: Shape and attributes of calls; each is checked with every kind of pooling.
WINDOWS: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((2, 2, 9), {"kernel": (3,), "stride": (2,)}),
    ((1, 3, 6, 5), {"kernel": (3, 2), "stride": (2, 1), "pad": (1, 1)}),
    ((1, 2, 5, 7), {"kernel": (2, 2), "stride": (2, 2), "pooling_convention": "full"}),
    ((1, 2, 4, 3, 5), {"kernel": (2, 3, 2), "stride": (2, 1, 2)}),
    ((2, 5, 4, 3), {"kernel": (3, 2), "stride": (2, 1), "pad": (1, 0), "layout": "NHWC"}),
    ((2, 2, 4, 5), {"kernel": (1, 1), "global_pool": True}),
]
KINDS: list[dict[str, Any]] = [
    {"pool_type": "max"},
    {"pool_type": "avg"},
    {"pool_type": "avg", "count_include_pad": False},
    {"pool_type": "sum"},
    {"pool_type": "lp", "p_value": 2},
]


def windows(data: Any, kernel: Any, stride: Any, pad: Any, full: bool, outside: float) -> Any:
    """Return all windows of (n, channels, ...) `data`, with their elements on a last axis."""
    spatial = data.ndim - 2
    stride, pad = stride or (1,) * spatial, pad or (0,) * spatial
    more = [0, 0]
    for length, k, s, p in zip(data.shape[2:], kernel, stride, pad, strict=True):
        more.append(-(length + 2 * p - k) % s if full else 0)
    ends = list(zip((0, 0, *pad), np.add((0, 0, *pad), more).tolist(), strict=True))
    padded = np.pad(data, ends, constant_values=outside)
    found = np.lib.stride_tricks.sliding_window_view(padded, kernel, tuple(range(2, data.ndim)))
    every = tuple(slice(None, None, s) for s in stride)
    found = found[(slice(None), slice(None), *every)]
    return found.reshape(*found.shape[: data.ndim], math.prod(kernel))


def pooling(
    data: Any,
    kernel: Any = (),
    pool_type: str = "max",
    global_pool: bool = False,
    pooling_convention: str = "valid",
    stride: Any = (),
    pad: Any = (),
    p_value: int | None = None,
    count_include_pad: bool | None = None,
    layout: str | None = None,
    **ignored: Any,
) -> Any:
    """Compute Pooling as the reference."""
    last = layout is not None and layout.endswith("C")
    data = np.moveaxis(data, -1, 1) if last else data
    if global_pool:
        kernel, stride, pad = data.shape[2:], (), ()
    full = pooling_convention == "full"
    inside = windows(np.ones_like(data), kernel, stride, pad, full, 0.0)
    values = windows(data, kernel, stride, pad, full, -np.inf if pool_type == "max" else 0.0)
    if pool_type == "max":
        out = reduce(np.fmax, np.moveaxis(values, -1, 0))  # ignores NaN
    elif pool_type == "lp":
        out = (values**p_value).sum(-1) ** (1 / p_value if p_value else 1)
    else:
        padding = windows(np.ones_like(data), kernel, stride, pad, False, 1.0)
        count = inside.sum(-1) if count_include_pad is False or full else padding.sum(-1)
        out = values.sum(-1) / (count if pool_type == "avg" else 1)
    return np.moveaxis(out, 1, -1) if last else out


def adaptive(data: Any, output_size: Any = ()) -> Any:
    """Compute AdaptiveAvgPooling2D as the reference."""
    size = tuple(output_size) or (1,)
    out = np.empty((*data.shape[:2], size[0], size[-1]))
    for at in np.ndindex(*out.shape[2:]):
        bounds = zip(at, data.shape[2:], out.shape[2:], strict=True)
        cut = tuple(slice(i * m // n, -(-(i + 1) * m // n)) for i, m, n in bounds)
        out[(..., *at)] = data[(..., *cut)].mean((2, 3))
    return out


def samples(rng: Any) -> list[Any]:
    """Return a call for each window and kind.

    No two elements are close, so that finite differences do not change which one is the maximum.
    """
    found = []
    for (shape, window), kind in product(WINDOWS, KINDS):
        data = rng.permutation(np.linspace(-2, 2, int(np.prod(shape)))).reshape(shape)
        found.append({"inputs": [data], "attributes": {**window, **kind}})
    return found


def samples_v1(rng: Any) -> list[Any]:
    """Return calls without padding, for which both versions agree."""
    window = {"kernel": (3, 2), "stride": (2, 1)}
    data = rng.permutation(np.linspace(-2, 2, 60)).reshape(1, 2, 6, 5)
    kinds = ("max", "avg", "sum")
    return [{"inputs": [data], "attributes": {**window, "pool_type": kind}} for kind in kinds]


OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "Pooling": {"reference": pooling, "samples": samples},
    "Pooling_v1": {"reference": pooling, "samples": samples_v1},
    "_contrib_AdaptiveAvgPooling2D": {
        "reference": adaptive,
        "samples": [
            {"inputs": [(2, 3, 5, 7)], "attributes": {"output_size": size}}
            for size in ((), (2, 3), (6, 7), (3,))
        ],
    },
}

LAYER_CHECKS: dict[str, dict[str, Any]] = {
    name: {"samples": [{"inputs": [(2, 3, 4, 4, 5)]}]}
    for name in ("AvgPool3D", "GlobalAvgPool3D", "GlobalMaxPool3D", "MaxPool3D")
}
