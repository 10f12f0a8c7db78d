"""References and sample calls of dropout for ``opforge check``."""

from typing import Any


def prediction(data: Any, p: float = 0.5, **ignored: Any) -> Any:
    """Return the result in prediction mode."""
    return data * 0 if p == 1 else data


OPERATOR_CHECKS = {
    "Dropout": {
        "reference": prediction,
        # A reference cannot reproduce random numbers, so it is compared in prediction mode, where
        # only p = 1 drops elements. Gradients and repeatability are checked in training mode.
        "samples": [
            [(7,)],
            {"inputs": [(2, 3)], "attributes": {"p": 0.2, "cudnn_off": None}},
            {"inputs": [(2, 3, 4)], "attributes": {"axes": (0, 2)}},
            {"inputs": [(2, 3)], "attributes": {"p": 0.0}},
            {"inputs": [(2, 3)], "attributes": {"p": 1.0, "mode": "always"}},
        ],
    },
}

LAYER_CHECKS = {
    "Dropout": {
        "samples": [
            {"inputs": [(4, 3)], "arguments": {"rate": 0.3}},
            {"inputs": [(2, 5, 3)], "arguments": {"rate": 0.5, "axes": (1,)}},
            {"inputs": [(4, 3)], "arguments": {"rate": 0.0}},
        ]
    }
}
