"""Reference and sample calls of the operator and the layer for ``opforge check``."""

from typing import Any


def dense(data: Any, weight: Any, bias: float = 0.0) -> Any:
    """Return the matrix product plus `bias`."""
    return data @ weight.T + bias


OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "dense": {
        "reference": dense,
        "samples": [
            {"inputs": [(3, 4), (5, 4)], "attributes": {"bias": bias}} for bias in (0.0, 0.5)
        ],
    }
}

LAYER_CHECKS: dict[str, dict[str, Any]] = {
    "Dense": {
        "samples": [
            {"inputs": [(4, 3)], "arguments": {"units": 2}},
            {"inputs": [(4, 3)], "arguments": {"units": 2, "use_bias": False, "in_units": 3}},
            {"inputs": [(4, 2, 3)], "arguments": {"units": 5}},
            {"inputs": [(4, 2, 3)], "arguments": {"units": 5, "flatten": False}},
        ]
    }
}
