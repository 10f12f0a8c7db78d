"""Translation of matrix products to ONNX."""

from collections.abc import Callable
from typing import Any

__all__ = ["RULES", "gemm2"]


def gemm2(prop: Any, call: Any) -> Any:
    """Translate gemm2: products of matrices in the last two axes."""
    rank = len(call.inputs[0].shape)
    call.require(
        prop.axis in (-2, rank - 2), f"axis {prop.axis} has no equivalent", "use the last two axes"
    )
    parts = map(call.transposed, call.inputs, (prop.transpose_a, prop.transpose_b))
    found = call.node("MatMul", *parts)
    return found if prop.alpha == 1 else call.node("Mul", found, call.constant(prop.alpha))


RULES: dict[str, Callable[[Any, Any], Any]] = {"onnx:_linalg_gemm2": gemm2}
