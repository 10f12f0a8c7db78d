"""Float64 references and sample calls of these operators for ``opforge check``.

The statistics that ``output_mean_var`` returns have no gradient, as in MXNet, and are always
written; calls with them are in the plugin's tests.
"""

from typing import Any

import numpy as np


def normalized(data: Any, axes: Any, eps: float = 0.0) -> Any:
    """Return the data with mean 0 and variance 1 over `axes`."""
    mean, var = data.mean(axes, keepdims=True), data.var(axes, keepdims=True)
    return (data - mean) / np.sqrt(var + eps)


def affine(data: Any, gamma: Any, beta: Any, axis: int) -> Any:
    """Scale by gamma and shift by beta along `axis`."""
    shape = [1] * data.ndim
    shape[axis] = -1
    return data * gamma.reshape(shape) + beta.reshape(shape)


def layer_norm(data: Any, gamma: Any, beta: Any, axis: int = -1, eps: float = 1e-5) -> Any:
    """Compute LayerNorm as the reference."""
    return affine(normalized(data, axis, eps), gamma, beta, axis)


def instance_norm(data: Any, gamma: Any, beta: Any, eps: float = 1e-3) -> Any:
    """Compute InstanceNorm as the reference."""
    return affine(normalized(data, tuple(range(2, data.ndim)), eps), gamma, beta, 1)


def batch_norm(
    data: Any,
    gamma: Any,
    beta: Any,
    mean: Any,
    var: Any,
    axis: int = 1,
    eps: float = 1e-3,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    blocked: bool = False,
    **ignored: Any,
) -> Any:
    """Compute BatchNorm in prediction mode, and the moving averages after training."""
    scale = (np.ones_like(gamma) if fix_gamma else gamma) / np.sqrt(var + eps)
    channels = (axis % data.ndim, data.ndim - 1) if blocked else (axis % data.ndim,)
    shape = [length if at in channels else 1 for at, length in enumerate(data.shape)]
    out = data * scale.reshape(shape) + (beta - mean * scale).reshape(shape)
    if use_global_stats:
        return out, mean, var
    others = tuple(at for at in range(data.ndim) if at not in channels)
    batch = data.mean(others).ravel(), data.var(others).ravel()
    moving = [momentum * a + (1 - momentum) * b for a, b in zip((mean, var), batch, strict=True)]
    return out, *moving


def batch_norm_samples(rng: Any) -> list[Any]:
    """Return calls with positive variances."""
    found = []
    for shape, attributes in (
        ((6, 4), {}),
        ((6, 4, 5), {"fix_gamma": False, "momentum": 0.5}),
        ((6, 5, 4), {"fix_gamma": False, "axis": -1, "eps": 0.1}),
        ((6, 4, 5), {"fix_gamma": False, "use_global_stats": True}),
        ((6, 2, 5, 2), {"fix_gamma": False, "blocked": True}),
    ):
        inputs = [shape, (4,), (4,), (4,), rng.uniform(0.5, 1.5, 4)]
        found.append({"inputs": inputs, "attributes": attributes})
    return found


def batch_norm_relu(*inputs: Any, **attributes: Any) -> Any:
    """Compute BatchNormWithReLU in prediction mode, and the moving averages after training."""
    out, *moving = batch_norm(*inputs, **attributes)
    return np.maximum(out, 0), *moving


def plain_samples(rng: Any) -> list[Any]:
    """Return BatchNorm's calls with arrays that are not blocked."""
    return [call for call in batch_norm_samples(rng) if "blocked" not in call["attributes"]]


def first_axis_samples(rng: Any) -> list[Any]:
    """Return calls along axis 1."""
    return [call for call in plain_samples(rng) if "axis" not in call["attributes"]]


def keyed_samples(rng: Any) -> list[Any]:
    """Return calls along axis 1, with the key that SyncBatchNorm requires."""
    found = first_axis_samples(rng)
    return [{**call, "attributes": {**call["attributes"], "key": "k"}} for call in found]


def group_norm(
    data: Any,
    gamma: Any,
    beta: Any,
    num_groups: int = 1,
    eps: float = 1e-5,
    output_mean_var: bool = False,
) -> Any:
    """Compute GroupNorm as the reference."""
    groups = data.reshape(len(data), num_groups, -1)
    result = affine(normalized(groups, 2, eps), gamma, beta, 1).reshape(data.shape)
    return (result, groups.mean(2), np.sqrt(groups.var(2) + eps)) if output_mean_var else result


def l2(data: Any, eps: float = 1e-10, mode: str = "instance") -> Any:
    """Compute L2Normalization as the reference."""
    axes = {"instance": range(1, data.ndim), "channel": [1], "spatial": range(2, data.ndim)}[mode]
    return data / np.sqrt((data**2).sum(tuple(axes), keepdims=True) + eps)


def lrn(data: Any, nsize: int, alpha: float = 1e-4, beta: float = 0.75, knorm: float = 2.0) -> Any:
    """Compute LRN as the reference."""
    out = np.empty_like(data)
    for c in range(data.shape[1]):
        first = c - nsize // 2
        near = data[:, max(first, 0) : first + nsize]
        out[:, c] = data[:, c] / (knorm + alpha / nsize * (near**2).sum(1)) ** beta
    return out


def min_max(data: Any, axis: int | None = None) -> Any:
    """Compute min_max_norm as the reference."""
    low, high = data.min(axis, keepdims=True), data.max(axis, keepdims=True)
    return (data - low) / (high - low)


def center(data: Any, axis: int | None = None) -> Any:
    """Compute center as the reference."""
    return data - data.mean(axis, keepdims=True)


#: The moving averages are updated in backward.
MOVING = {"states_in_backward": True}
OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "LayerNorm": {
        "reference": layer_norm,
        "samples": [
            [(6, 4), (4,), (4,)],
            {"inputs": [(6, 4, 5), (4,), (4,)], "attributes": {"axis": 1, "eps": 0.1}},
        ],
    },
    "InstanceNorm": {"reference": instance_norm},
    "BatchNorm": {**MOVING, "reference": batch_norm, "samples": batch_norm_samples},
    "_contrib_BatchNormWithReLU": {
        **MOVING,
        "reference": batch_norm_relu,
        "samples": plain_samples,
    },
    "BatchNorm_v1": {**MOVING, "reference": batch_norm, "samples": first_axis_samples},
    "_contrib_SyncBatchNorm": {**MOVING, "reference": batch_norm, "samples": keyed_samples},
    "GroupNorm": {
        "reference": group_norm,
        "samples": [
            {"inputs": [(2, 4, 3), (n,), (n,)], "attributes": {"num_groups": n, "eps": 0.01}}
            for n in (1, 2, 4)
        ]
        + [
            {
                "inputs": [(3, 4, 2), (2,), (2,)],
                "attributes": {"num_groups": 2, "output_mean_var": True},
                "wanted": [],
            }
        ],
    },
    "L2Normalization": {
        "reference": l2,
        "samples": [
            {"inputs": [(2, 3, 4)], "attributes": {"mode": mode, "eps": 0.1}}
            for mode in ("instance", "channel", "spatial")
        ],
    },
    "LRN": {
        "reference": lrn,
        "samples": [
            {"inputs": [(2, 5, 3)], "attributes": {"nsize": size, "alpha": 0.5, "beta": 0.5}}
            for size in (1, 2, 3, 9)
        ],
    },
    "min_max_norm": {
        "reference": min_max,
        "samples": [
            {"inputs": [(4, 3)], "attributes": {"axis": axis}} for axis in (None, 0, 1, -1)
        ],
    },
    "center": {"reference": center},
}

LAYER_CHECKS: dict[str, dict[str, Any]] = {
    "GroupNorm": {"samples": [{"inputs": [(2, 4, 3)], "arguments": {"num_groups": 2}}]}
}
