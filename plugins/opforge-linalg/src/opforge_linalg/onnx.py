"""Translation of products and determinants of matrices to ONNX."""

from typing import Any

import numpy as np

from .onnx_triangles import triangle

__all__ = ["det", "gemm", "gemm2", "scale", "slogdet", "syrk", "transpose_if", "trmm"]


def det(prop: Any, call: Any) -> Any:
    """Translate det."""
    return _for_matrices(call, call.node("Det", call.inputs[0]))


def slogdet(prop: Any, call: Any) -> list[Any]:
    """Translate slogdet; the determinant may be too large for its element type."""
    found = call.node("Det", call.inputs[0])
    logarithm = call.node("Log", call.node("Abs", found))
    return [_for_matrices(call, part) for part in (call.node("Sign", found), logarithm)]


def _for_matrices(call: Any, numbers: Any) -> Any:
    """Return a number for each matrix; that of a single matrix has the shape (1,) here."""
    is_single = len(call.inputs[0].shape) == 2
    return call.node("Unsqueeze", numbers, call.integers(0)) if is_single else numbers


def gemm(prop: Any, call: Any) -> Any:
    """Translate gemm."""
    found = gemm2(prop, call)
    return call.node("Add", found, scale(call, call.inputs[2], prop.beta)) if prop.beta else found


def gemm2(prop: Any, call: Any) -> Any:
    """Translate gemm2; matrices have their rows along any axis."""
    rank = len(call.inputs[0].shape)
    axis, last = prop.axis % rank, rank - 1
    batch = [item for item in range(last) if item != axis]
    factors = (
        _transpose(call, x, [*batch, *((last, axis) if flips else (axis, last))])
        for x, flips in zip(call.inputs, (prop.transpose_a, prop.transpose_b), strict=False)
    )
    back = np.argsort([*batch, axis, last]).tolist()
    return scale(call, _transpose(call, call.node("MatMul", *factors), back), prop.alpha)


def _transpose(call: Any, x: Any, order: list[int]) -> Any:
    return x if order == sorted(order) else call.node("Transpose", x, perm=order)


def scale(call: Any, numbers: Any, factor: float) -> Any:
    """Return numbers times a factor."""
    return numbers if factor == 1 else call.node("Mul", numbers, call.constant(factor))


def syrk(prop: Any, call: Any) -> Any:
    """Translate syrk."""
    flips = (prop.transpose, not prop.transpose)
    factors = [call.transposed(call.inputs[0], flip) for flip in flips]
    return scale(call, call.node("MatMul", *factors), prop.alpha)


def trmm(prop: Any, call: Any) -> Any:
    """Translate trmm."""
    a, b = call.inputs
    factors = [transpose_if(call, a, triangle(call, a, prop.lower), prop.transpose), b]
    found = call.node("MatMul", *(reversed(factors) if prop.rightside else factors))
    return scale(call, found, prop.alpha)


def transpose_if(call: Any, like: Any, matrices: Any, is_transposed: bool) -> Any:
    """Return computed matrices of the shape of an input, or their transposes."""
    return call.transposed(like._replace(name=matrices), True) if is_transposed else matrices
