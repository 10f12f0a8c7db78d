"""Checks for ``opforge check`` of dropout."""

from typing import Any


def prediction(data: Any, p: float = 0.5, **others: Any) -> Any:
    """Return what a prediction gives."""
    return data * 0 if p == 1 else data


OPERATOR_CHECKS = {
    "Dropout": {
        "reference": prediction,
        # A reference knows no random numbers: it is compared in predictions, where only p = 1
        # drops. Gradients and repetition are checked in training.
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
