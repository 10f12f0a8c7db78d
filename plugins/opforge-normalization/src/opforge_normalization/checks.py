"""What ``opforge check`` is told of these operators: references in float64 and calls to try.

Mean and deviation, which ``output_mean_var`` shows, have no gradient, as in MXNet, and are always
written; the plugin's own tests have calls with them.
"""

from typing import Any

import numpy as np


def normalised(data: Any, axes: Any, eps: float = 0.0) -> Any:
    """Return the data with mean 0 and variance 1 over `axes`."""
    mean, var = data.mean(axes, keepdims=True), data.var(axes, keepdims=True)
    return (data - mean) / np.sqrt(var + eps)


def affine(data: Any, gamma: Any, beta: Any, axis: int) -> Any:
    """Scale by gamma and shift by beta along `axis`."""
    shape = [1] * data.ndim
    shape[axis] = -1
    return data * gamma.reshape(shape) + beta.reshape(shape)


def layer_norm(data: Any, gamma: Any, beta: Any, axis: int = -1, eps: float = 1e-5) -> Any:
    """Return the reference of LayerNorm."""
    return affine(normalised(data, axis, eps), gamma, beta, axis)


def instance_norm(data: Any, gamma: Any, beta: Any, eps: float = 1e-3) -> Any:
    """Return the reference of InstanceNorm."""
    return affine(normalised(data, tuple(range(2, data.ndim)), eps), gamma, beta, 1)


def batch_norm(
    data: Any,
    gamma: Any,
    beta: Any,
    mean: Any,
    var: Any,
    axis: int = 1,
    eps: float = 1e-3,
    fix_gamma: bool = True,
    blocked: bool = False,
    **training: Any,
) -> Any:
    """Return the reference of BatchNorm in a prediction."""
    scale = (np.ones_like(gamma) if fix_gamma else gamma) / np.sqrt(var + eps)
    shift = beta - mean * scale
    if blocked:  # the lanes stand last
        shape = [1] * data.ndim
        shape[axis], shape[-1] = data.shape[axis], data.shape[-1]
        return data * scale.reshape(shape) + shift.reshape(shape)
    return affine(data, scale, shift, axis)


def batch_norm_samples(rng: Any) -> list[Any]:
    """Return calls whose variances are positive."""
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


def min_max(data: Any, axis: int | None = None) -> Any:
    """Return the reference of min_max_norm."""
    low, high = data.min(axis, keepdims=True), data.max(axis, keepdims=True)
    return (data - low) / (high - low)


def center(data: Any, axis: int | None = None) -> Any:
    """Return the reference of center."""
    return data - data.mean(axis, keepdims=True)


OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "LayerNorm": {
        "reference": layer_norm,
        "samples": [
            [(6, 4), (4,), (4,)],
            {"inputs": [(6, 4, 5), (4,), (4,)], "attributes": {"axis": 1, "eps": 0.1}},
        ],
    },
    "InstanceNorm": {"reference": instance_norm},
    "BatchNorm": {"reference": batch_norm, "samples": batch_norm_samples},
    "min_max_norm": {
        "reference": min_max,
        "samples": [
            {"inputs": [(4, 3)], "attributes": {"axis": axis}} for axis in (None, 0, 1, -1)
        ],
    },
    "center": {"reference": center},
}
