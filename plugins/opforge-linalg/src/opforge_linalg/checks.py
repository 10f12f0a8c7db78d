"""Sample calls and references in float64 for ``opforge check``."""

from itertools import product
from typing import Any

import numpy as np


def transposed(x: Any) -> Any:
    """Return transposed matrices."""
    return np.swapaxes(x, -1, -2)


def triangle(x: Any, lower: bool = True) -> Any:
    """Return the lower or upper triangle."""
    return np.tril(x) if lower else np.triu(x)


def gemm(
    a: Any,
    b: Any,
    c: Any = 0.0,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1,
    beta: float = 1,
    axis: int = -2,
) -> Any:
    """Return the result of gemm and gemm2."""
    a, b = np.moveaxis(a, axis, -2), np.moveaxis(b, axis, -2)
    a, b = transposed(a) if transpose_a else a, transposed(b) if transpose_b else b
    return np.moveaxis(alpha * (a @ b), -2, axis) + (beta * c if beta else 0)


def syrk(a: Any, transpose: bool = False, alpha: float = 1) -> Any:
    """Return the result of syrk."""
    return alpha * (transposed(a) @ a if transpose else a @ transposed(a))


def trmm(
    a: Any,
    b: Any,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1,
) -> Any:
    """Return the result of trmm; elements outside the triangle do not take part."""
    if rightside:
        return transposed(trmm(a, transposed(b), not transpose, False, lower, alpha))
    a = transposed(a) if transpose else a
    out = np.zeros(b.shape)
    for i, k in zip(*selected(a.shape[-1], lower=lower != transpose), strict=True):
        out[..., i, :] += alpha * a[..., i, k, np.newaxis] * b[..., k, :]
    return out


def trsm(
    a: Any,
    b: Any,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1,
) -> Any:
    """Return the result of trsm, by substitution."""
    if rightside:
        return transposed(trsm(a, transposed(b), not transpose, False, lower, alpha))
    a = transposed(a) if transpose else a
    order = range(a.shape[-1])[:: 1 if lower != transpose else -1]
    out = alpha * b
    for step, i in enumerate(order):
        for k in order[:step]:
            out[..., i, :] -= a[..., i, k, np.newaxis] * out[..., k, :]
        out[..., i, :] /= a[..., i, i, np.newaxis]
    return out


def potrf(a: Any, lower: bool = True) -> Any:
    """Return the result of potrf."""
    return np.linalg.cholesky(a) if lower else transposed(np.linalg.cholesky(transposed(a)))


def potri(a: Any, lower: bool = True) -> Any:
    """Return the result of potri."""
    a = triangle(a, lower)
    return np.linalg.inv(a @ transposed(a) if lower else transposed(a) @ a)


def gelqf(a: Any) -> Any:
    """Return the result of gelqf."""
    q, r = np.linalg.qr(transposed(a))
    return transposed(q), transposed(r)


def syevd(a: Any) -> Any:
    """Return the result of syevd; a NaN makes the whole matrix NaN."""
    is_nan = np.isnan(np.tril(a)).any((-2, -1), keepdims=True)
    values, vectors = np.linalg.eigh(np.where(is_nan, np.eye(a.shape[-1]), a))
    values, vectors = np.where(is_nan[..., 0], np.nan, values), np.where(is_nan, np.nan, vectors)
    rows = transposed(vectors)
    best = np.abs(rows).argmax(-1)[..., np.newaxis]
    return rows * np.sign(np.take_along_axis(rows, best, -1)), values


def inverse(a: Any) -> Any:
    """Return the result of inverse; a NaN makes the whole matrix NaN."""
    is_nan = np.isnan(a).any((-2, -1), keepdims=True)
    return np.where(is_nan, np.nan, np.linalg.inv(np.where(is_nan, np.eye(a.shape[-1]), a)))


def per_matrix(value: Any) -> Any:
    """Return results for matrices, with an axis if there is one matrix."""
    return np.reshape(value, np.shape(value) or (1,))


def slogdet(a: Any) -> Any:
    """Return the result of slogdet."""
    return tuple(map(per_matrix, np.linalg.slogdet(a)))


def transposed_inverse(a: Any) -> Any:
    """Return the result of _transposed_inverse."""
    singular = np.linalg.det(a)[..., np.newaxis, np.newaxis] == 0
    return np.where(singular, 0, transposed(inverse(a + singular * np.eye(a.shape[-1]))))


def selected(side: int, offset: int = 0, lower: bool = True) -> tuple[Any, Any]:
    """Return rows and columns of a triangle, in MXNet's order."""
    if offset < 0 or (offset == 0 and lower):
        return np.tril_indices(side, offset)
    columns, rows = np.tril_indices(side, -offset)
    return rows, columns


def extractdiag(a: Any, offset: int = 0) -> Any:
    """Return the result of extractdiag."""
    return np.diagonal(a, offset, -2, -1)


def extracttrian(a: Any, offset: int = 0, lower: bool = True) -> Any:
    """Return the result of extracttrian."""
    return a[(..., *selected(a.shape[-1], offset, lower))]


def made(a: Any, side: int, rows: Any, columns: Any) -> Any:
    """Return matrices with the elements of vectors at the given positions."""
    out = np.zeros((*a.shape[:-1], side, side))
    out[..., rows, columns] = a
    return out


def makediag(a: Any, offset: int = 0) -> Any:
    """Return the result of makediag."""
    numbers = np.arange(a.shape[-1])
    rows, columns = numbers + max(-offset, 0), numbers + max(offset, 0)
    return made(a, a.shape[-1] + abs(offset) if a.shape[-1] else 0, rows, columns)


def maketrian(a: Any, offset: int = 0, lower: bool = True) -> Any:
    """Return the result of maketrian."""
    side = round((8 * a.shape[-1] + 1) ** 0.5 - 1) // 2
    side += abs(offset) if side else 0
    return made(a, side, *selected(side, offset, lower))


def sumlogdiag(a: Any) -> Any:
    """Return the result of sumlogdiag."""
    return per_matrix(np.log(np.diagonal(a, 0, -2, -1)).sum(-1))


def mirror(a: Any, lower: bool = True) -> Any:
    """Return the result of _mirror_triangle."""
    half = np.tril(a if lower else transposed(a))
    return half + transposed(np.tril(half, -1))


rng = np.random.default_rng(7)


def general(*shape: int) -> Any:
    """Return matrices with determinants away from zero."""
    return rng.uniform(-0.4, 0.4, shape) + 1.5 * np.eye(shape[-2], shape[-1])


def definite(*shape: int) -> Any:
    """Return symmetric matrices with positive, distinct eigenvalues."""
    x = rng.uniform(-0.4, 0.4, shape)
    return x + transposed(x) + np.diag(np.arange(2.0, shape[-1] + 2))


def call(*inputs: Any, **attributes: Any) -> dict[str, Any]:
    """Return a sample call."""
    return {"inputs": list(inputs), "attributes": attributes}


SQUARE = [general(3, 3), general(20, 4, 4), general(1, 2, 5, 5), general(2, 40, 40)]
DEFINITE = [definite(3, 3), definite(20, 4, 4), definite(1, 2, 5, 5), definite(2, 40, 40)]
LOWER = [call(x, lower=lower) for x in SQUARE for lower in (True, False)]
TRIANGULAR = [
    call(
        general(*batch, 3, 3),
        (*batch, 4, 3) if right else (*batch, 3, 4),
        transpose=transpose,
        rightside=right,
        lower=lower,
        alpha=alpha,
    )
    for (transpose, right, lower), (batch, alpha) in zip(
        product((False, True), repeat=3),
        (((), 1.0), ((20,), 0.5), ((1, 2), -2.0), ((9,), 1.0)) * 2,
        strict=True,
    )
] + [call(general(2, 70, 70), (2, 70, 3)), call(general(4, 5, 5), (4, 5, 33))]
GEMM: list[tuple[Any, Any, Any, dict[str, Any]]] = [
    ((2, 3), (3, 4), (2, 4), {}),
    ((3, 2), (4, 3), (2, 4), {"transpose_a": True, "transpose_b": True, "alpha": 0.5}),
    ((5, 2, 3), (5, 3, 4), (5, 2, 4), {"alpha": -2.0}),
    ((2, 5, 3), (4, 5, 3), (2, 5, 4), {"transpose_b": True, "axis": 0}),
    ((2, 4, 2, 3), (2, 3, 2, 4), (2, 4, 2, 4), {"axis": -3}),
]
SYMMETRIC = {
    "gradients": "A is symmetric, so its gradient is divided between both triangles",
    "heads": "A is symmetric, so its gradient is divided between both triangles",
}
OFFSETS: list[dict[str, Any]] = [{}, {"offset": 1}, {"offset": -1}]
TRIANGLES = [*OFFSETS, {"lower": False}]

OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "_linalg_gemm": {
        "reference": gemm,
        "samples": [
            call(a, b, c, **attributes, beta=beta)
            for (a, b, c, attributes), beta in zip(GEMM, (1, -0.5, 2, 1, 0.5), strict=True)
        ],
    },
    "_linalg_gemm2": {
        "reference": gemm,
        "samples": [call(a, b, **attributes) for a, b, _, attributes in GEMM],
    },
    "_linalg_syrk": {
        "reference": syrk,
        "samples": [call((2, 3)), call((4, 3, 2), transpose=True, alpha=-0.5)],
    },
    "_linalg_trmm": {"reference": trmm, "samples": TRIANGULAR},
    "_linalg_trsm": {"reference": trsm, "samples": TRIANGULAR},
    "_linalg_potrf": {
        "reference": potrf,
        "samples": [call(x, lower=lower) for x in DEFINITE for lower in (True, False)],
        "expected_failures": SYMMETRIC,
    },
    "_linalg_potri": {"reference": potri, "samples": LOWER},
    "_linalg_gelqf": {
        "reference": gelqf,
        "samples": [call(general(*shape)) for shape in ((2, 3), (20, 3, 3), (2, 40, 45))],
    },
    "_linalg_syevd": {
        "reference": syevd,
        "samples": [call(x) for x in DEFINITE[:3]],
        "expected_failures": SYMMETRIC,
    },
    "_linalg_inverse": {"reference": inverse, "samples": [call(x) for x in SQUARE]},
    "_transposed_inverse": {
        "reference": transposed_inverse,
        "samples": [call(x) for x in SQUARE],
    },
    "_linalg_det": {
        "reference": lambda a: per_matrix(np.linalg.det(a)),
        "samples": [call(x) for x in SQUARE[:3]],
    },
    "_linalg_slogdet": {"reference": slogdet, "samples": [call(x) for x in SQUARE]},
    "_linalg_makediag": {
        "reference": makediag,
        "samples": [call(shape, **row) for shape in ((3,), (2, 2)) for row in OFFSETS],
    },
    "_linalg_extractdiag": {
        "reference": extractdiag,
        "samples": [call(shape, **row) for shape in ((3, 3), (2, 2, 2)) for row in OFFSETS],
    },
    "_linalg_maketrian": {
        "reference": maketrian,
        "samples": [call(shape, **row) for shape in ((6,), (2, 3)) for row in TRIANGLES],
    },
    "_linalg_extracttrian": {
        "reference": extracttrian,
        "samples": [call(shape, **row) for shape in ((3, 3), (2, 4, 4)) for row in TRIANGLES],
    },
    "_linalg_sumlogdiag": {
        "reference": sumlogdiag,
        "samples": [call(x) for x in SQUARE[:3]],
    },
    "_mirror_triangle": {"reference": mirror, "samples": LOWER[:4]},
    "_keep_triangle": {"reference": triangle, "samples": LOWER[:4]},
}
