"""Translation of regression outputs to ONNX: predictions have no label."""

from typing import Any

__all__ = ["identity", "sigmoid"]


def identity(prop: Any, call: Any) -> Any:
    """Translate an output that is its data."""
    return call.node("Identity", call.inputs[0])


def sigmoid(prop: Any, call: Any) -> Any:
    """Translate LogisticRegressionOutput."""
    return call.node("Sigmoid", call.inputs[0])
