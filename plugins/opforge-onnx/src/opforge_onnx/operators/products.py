"""Rules for matrix products of the core."""

from typing import Any

from ..exporting.call import Call

__all__ = ["batch_dot", "dot", "fully_connected", "matmul"]


def fully_connected(prop: Any, call: Call) -> str:
    """Translate FullyConnected: Gemm of rows, or MatMul along the last axis."""
    data, weight = call.inputs[:2]
    bias = call.inputs[2:]
    if not prop.flatten and len(data.shape) != 2:
        rows = call.node("MatMul", data, call.transposed(weight, True))
        return str(call.node("Add", rows, bias[0]) if bias else rows)
    flat = data if len(data.shape) == 2 else call.node("Flatten", data, axis=1)
    return str(call.node("Gemm", flat, weight, *bias, transB=1))


def batch_dot(prop: Any, call: Call) -> str:
    """Translate batch_dot."""
    parts = map(call.transposed, call.inputs, (prop.transpose_a, prop.transpose_b))
    return str(call.node("MatMul", *parts))


def dot(prop: Any, call: Call) -> str:
    """Translate dot of matrices and vectors; the last axis of the first meets the first axis."""
    left, right = call.inputs
    a, b = len(left.shape), len(right.shape)
    call.require(
        b <= 2 and not (prop.transpose_a and a > 2),
        f"dot of arrays of {a} and {b} dimensions has no equivalent",
        "use reshape and dot of matrices, or batch_dot",
    )
    first = call.transposed(left, prop.transpose_a and a == 2)
    second = call.transposed(right, prop.transpose_b and b == 2)
    return _product(call, first, second)


def matmul(prop: Any, call: Call) -> str:
    """Translate matmul, which transposes matrices but not vectors."""
    parts = [
        call.transposed(value, flips and len(value.shape) > 1)
        for value, flips in zip(call.inputs, (prop.transpose_a, prop.transpose_b), strict=True)
    ]
    return _product(call, *parts)


def _product(call: Call, *factors: Any) -> str:
    """Return the product of inputs that were transposed; that of two vectors has shape (1,)."""
    found = call.node("MatMul", *factors)
    are_vectors = all(len(value.shape) == 1 for value in call.inputs)
    return str(call.node("Unsqueeze", found, call.integers(0)) if are_vectors else found)
