"""Translation of activation functions to ONNX."""

from typing import Any

__all__ = ["activation", "relu", "sigmoid", "softrelu", "softsign"]

_KINDS = {
    "relu": "Relu",
    "sigmoid": "Sigmoid",
    "softrelu": "Softplus",
    "softsign": "Softsign",
    "tanh": "Tanh",
}


def activation(prop: Any, call: Any) -> Any:
    """Translate Activation."""
    return call.node(_KINDS[prop.act_type], call.inputs[0])


def relu(prop: Any, call: Any) -> Any:
    """Translate relu."""
    return call.node("Relu", call.inputs[0])


def sigmoid(prop: Any, call: Any) -> Any:
    """Translate sigmoid."""
    return call.node("Sigmoid", call.inputs[0])


def softrelu(prop: Any, call: Any) -> Any:
    """Translate softrelu."""
    return call.node("Softplus", call.inputs[0])


def softsign(prop: Any, call: Any) -> Any:
    """Translate softsign."""
    return call.node("Softsign", call.inputs[0])
