"""Translation of inverses and factors of small matrices to ONNX, which lacks them.

The steps of the algorithms are written one after another, so that the size of matrices is limited.
"""

from math import ceil, log2
from typing import Any

import numpy as np

from .onnx import scale, transpose_if
from .onnx_triangles import diagonal, triangle

__all__ = ["inverse", "potrf", "potri", "trsm"]

#: Largest number of rows.
_MOST_ROWS = 32


def _expect_small(call: Any) -> None:
    """Raise unless the steps can be written."""
    a = call.inputs[0]
    call.require_fixed(a, -1)
    call.require(
        a.shape[-1] <= _MOST_ROWS,
        f"ONNX has no such operator, and the steps are written for at most {_MOST_ROWS} rows, "
        f"not for {a.shape[-1]}",
        "compute it outside of the exported graph",
    )


def trsm(prop: Any, call: Any) -> Any:
    """Translate trsm: a product with the inverse."""
    a, b = call.inputs
    factors = [transpose_if(call, a, _triangular_inverse(call, a, prop.lower), prop.transpose), b]
    found = call.node("MatMul", *(reversed(factors) if prop.rightside else factors))
    return scale(call, found, prop.alpha)


def potri(prop: Any, call: Any) -> Any:
    """Translate potri."""
    a = call.inputs[0]
    found = _triangular_inverse(call, a, prop.lower)
    factors = [transpose_if(call, a, found, flips) for flips in (prop.lower, not prop.lower)]
    return call.node("MatMul", *factors)


def _triangular_inverse(call: Any, a: Any, lower: bool) -> Any:
    """Return the inverses of triangular matrices.

    Without its diagonal, which divides the rows, such a matrix has powers that end: with M its
    negative, the inverse is (1 + M) (1 + M^2) (1 + M^4) ...
    """
    _expect_small(call)
    side = a.shape[-1]
    numbers = diagonal(call, a)
    rows = call.node("Unsqueeze", numbers, call.integers(-1))
    power = call.node("Neg", call.node("Div", triangle(call, a, lower, -1 if lower else 1), rows))
    one = call.constant(np.eye(side))
    found = call.node("Add", one, power)
    for _ in range(1, ceil(log2(max(side, 2)))):
        power = call.node("MatMul", power, power)
        found = call.node("MatMul", found, call.node("Add", one, power))
    return call.node("Div", found, call.node("Unsqueeze", numbers, call.integers(-2)))


def potrf(prop: Any, call: Any) -> Any:
    """Translate potrf: each column of the factor is subtracted with its products.

    A matrix that is not positive definite gives NaN.
    """
    _expect_small(call)
    a = call.inputs[0]
    rest, columns = transpose_if(call, a, a.name, not prop.lower), []
    for index in range(a.shape[-1]):
        pivot = call.node("Sqrt", _part(call, _part(call, rest, index, -1), index, -2))
        column = call.node("Div", _part(call, rest, index, -1), pivot)
        is_below = np.arange(a.shape[-1])[:, None] >= index
        columns.append(call.node("Where", call.constant(is_below, bool), column, call.constant(0)))
        row = transpose_if(call, a, columns[-1], True)
        rest = call.node("Sub", rest, call.node("MatMul", columns[-1], row))
    return transpose_if(call, a, call.node("Concat", *columns, axis=-1), not prop.lower)


def inverse(prop: Any, call: Any) -> Any:
    """Translate inverse: elimination with row exchanges of the matrices followed by the identity.

    A singular matrix gives numbers that are not finite.
    """
    _expect_small(call)
    a = call.inputs[0]
    side = a.shape[-1]
    identity = call.node("Expand", call.constant(np.eye(side)), call.node("Shape", a))
    both = call.node("Concat", a, identity, axis=-1)
    for index in range(side):
        both = _eliminate(call, both, side, index)
    return call.node("Slice", both, *map(call.integers, (side, 2 * side, -1)))


def _eliminate(call: Any, both: Any, side: int, index: int) -> Any:
    """Return the rows after elimination of a column, the largest number of which is the pivot."""
    numbers = np.arange(side)[:, None]
    sizes = call.node("Abs", _part(call, both, index, -1))
    is_left = call.constant(numbers >= index, bool)
    candidates = call.node("Where", is_left, sizes, call.constant(-1))
    chosen = call.node("ArgMax", candidates, axis=-2, keepdims=1)
    is_chosen = call.node("Equal", call.constant(numbers, np.int64), chosen)
    row = call.reduce("ReduceSum", call.node("Where", is_chosen, both, call.constant(0)), -2)
    exchanged = call.node("Where", is_chosen, _part(call, both, index, -2), both)
    row = call.node("Div", row, _part(call, row, index, -1))
    products = call.node("Mul", _part(call, exchanged, index, -1), row)
    is_pivot = call.constant(numbers == index, bool)
    return call.node("Where", is_pivot, row, call.node("Sub", exchanged, products))


def _part(call: Any, matrices: Any, index: int, axis: int) -> Any:
    """Return a row (axis -2) or column (-1) with its axis."""
    return call.node("Slice", matrices, *map(call.integers, (index, index + 1, axis)))
