"""Translation of dense to ONNX."""

from typing import Any

__all__ = ["dense"]


def dense(prop: Any, call: Any) -> Any:
    """Translate dense: a product and a constant."""
    data, weight = call.inputs
    return call.node("Gemm", data, weight, call.constant(prop.bias), transB=1)
