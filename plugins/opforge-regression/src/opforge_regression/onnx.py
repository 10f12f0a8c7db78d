"""Translation of regression outputs to ONNX: predictions have no label."""

from collections.abc import Callable
from typing import Any

__all__ = ["RULES", "identity", "sigmoid"]


def identity(prop: Any, call: Any) -> Any:
    """Translate an output that is its data."""
    return call.node("Identity", call.inputs[0])


def sigmoid(prop: Any, call: Any) -> Any:
    """Translate LogisticRegressionOutput."""
    return call.node("Sigmoid", call.inputs[0])


RULES: dict[str, Callable[[Any, Any], Any]] = {
    "onnx:LinearRegressionOutput": identity,
    "onnx:LogisticRegressionOutput": sigmoid,
    "onnx:MAERegressionOutput": identity,
    "onnx:MakeLoss": identity,
}
