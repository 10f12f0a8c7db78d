"""Translation of operators on matrices to ONNX."""

from typing import Any

__all__ = ["det", "gemm2"]


def det(prop: Any, call: Any) -> Any:
    """Translate det; that of a single matrix has the shape (1,) here."""
    found = call.node("Det", call.inputs[0])
    is_single = len(call.inputs[0].shape) == 2
    return call.node("Unsqueeze", found, call.integers(0)) if is_single else found


def gemm2(prop: Any, call: Any) -> Any:
    """Translate gemm2: products of matrices in the last two axes."""
    rank = len(call.inputs[0].shape)
    call.require(
        prop.axis in (-2, rank - 2), f"axis {prop.axis} has no equivalent", "use the last two axes"
    )
    parts = map(call.transposed, call.inputs, (prop.transpose_a, prop.transpose_b))
    found = call.node("MatMul", *parts)
    return found if prop.alpha == 1 else call.node("Mul", found, call.constant(prop.alpha))
