"""References in float64 and sample calls for ``opforge check``."""

from typing import Any

import numpy as np

FUNCTIONS: dict[str, Any] = {
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softrelu": lambda x: np.logaddexp(0, x),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "tanh": np.tanh,
}


def hard_sigmoid(data: Any, alpha: float = 0.2, beta: float = 0.5) -> Any:
    """Return the line clipped to [0, 1]."""
    return np.clip(alpha * data + beta, 0, 1)


def activation(data: Any, act_type: str) -> Any:
    """Return the activation selected by `act_type`."""
    return FUNCTIONS[act_type](data)


OPERATOR_CHECKS = {
    **{name: {"reference": function} for name, function in FUNCTIONS.items() if name != "tanh"},
    "hard_sigmoid": {"reference": hard_sigmoid},
    "Activation": {"reference": activation},
}

LAYER_CHECKS = {
    "Activation": {
        "samples": [{"inputs": [(4, 3)], "arguments": {"activation": name}} for name in FUNCTIONS]
    }
}
