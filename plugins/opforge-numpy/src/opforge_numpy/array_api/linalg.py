"""`opforge.array_api.linalg`: the linear algebra extension of the standard."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from opforge.plugin_api import F as nd

from .. import creation as _creation
from .. import products as _products
from .. import reductions as _reductions
from .. import shapes as _shapes
from ..arguments import axis_index, with_shape
from ..np import linalg as _ours
from .arguments import checked, pair, wrapped

__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eigh",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]


class EighResult(NamedTuple):
    """Result of `eigh`."""

    eigenvalues: Any
    eigenvectors: Any


class QRResult(NamedTuple):
    """Result of `qr`."""

    Q: Any
    R: Any


class SlogdetResult(NamedTuple):
    """Result of `slogdet`."""

    sign: Any
    logabsdet: Any


class SVDResult(NamedTuple):
    """Result of `svd`."""

    U: Any
    S: Any
    Vh: Any


def _floating(name: str, x: Any) -> Any:
    return checked(name, x, "real floating")


def matmul(x1: Any, x2: Any, /) -> Any:
    """Return matrix products over the last two axes; other axes broadcast.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.matmul(xp.ones((5, 2, 3)), xp.ones((3, 4))).shape
    (5, 2, 4)
    """
    checked("matmul", x1, "numeric")
    checked("matmul", x2, "numeric")
    if not x1.ndim or not x2.ndim:
        raise ValueError("matmul: an operand has no axes; use multiply")
    return wrapped(_products.matmul(*pair("matmul", x1, x2)))


def matrix_transpose(x: Any, /) -> Any:
    """Return matrices with their last two axes exchanged.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.matrix_transpose(xp.ones((2, 3, 4))).shape
    (2, 4, 3)
    """
    x = checked("matrix_transpose", x, "any")
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose: the array has {x.ndim} axes; expected at least 2")
    return wrapped(_shapes.swapaxes(x, -1, -2))


def tensordot(x1: Any, x2: Any, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Any:
    """Return sums of products over several axes.

    Parameters
    ----------
    x1, x2 : Array
    axes : int or pair of sequences of int, default 2
        The axes of both; an int n: the last n axes of `x1` and the first n of `x2`.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.tensordot(xp.ones((2, 3)), xp.ones((3, 4)), axes=1).shape
    (2, 4)
    """
    checked("tensordot", x1, "numeric")
    checked("tensordot", x2, "numeric")
    return wrapped(_products.tensordot(*pair("tensordot", x1, x2), axes))


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Return the dot products of vectors along an axis.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.vecdot(xp.ones((2, 3)), xp.ones(3))
    array([3., 3.])
    """
    checked("vecdot", x1, "numeric")
    checked("vecdot", x2, "numeric")
    x1, x2 = pair("vecdot", x1, x2)
    if not -min(x1.ndim, x2.ndim) <= axis < 0:
        raise ValueError(f"vecdot: axis is {axis}; expected one of both arrays, negative")
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"vecdot: lengths {x1.shape[axis]} and {x2.shape[axis]} differ")
    return wrapped(_reductions.sum(nd.broadcast_mul(x1, x2), axis))


def outer(x1: Any, x2: Any, /) -> Any:
    """Return the products of all pairs of elements of two vectors, those of `x1` in rows."""
    x1, x2 = pair("outer", x1, x2, "numeric")
    return wrapped(_products.outer(_vector("outer", x1), _vector("outer", x2)))


def _vector(name: str, x: Any) -> Any:
    if x.ndim != 1:
        raise ValueError(f"{name}: an array has {x.ndim} axes; expected vectors")
    return x


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Return the cross product of vectors of three elements along an axis."""
    x1, x2 = pair("cross", x1, x2, "numeric")
    return wrapped(_products.cross(x1, x2, axis=axis))


def diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """Return the diagonals of matrices in the last two axes.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.linalg.diagonal(xp.eye(2))
    array([1., 1.])
    """
    return wrapped(_creation.diagonal(checked("diagonal", x, "any"), offset, -2, -1))


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """Return the sums of the diagonals of matrices in the last two axes."""
    from .reductions import sum as sum_of

    return sum_of(diagonal(checked("trace", x, "numeric"), offset=offset), axis=-1, dtype=dtype)


def cholesky(x: Any, /, *, upper: bool = False) -> Any:
    """Return the Cholesky factors of positive definite matrices, lower or upper triangular."""
    lower = _ours.cholesky(_floating("cholesky", x))
    return matrix_transpose(wrapped(lower)) if upper else wrapped(lower)


def det(x: Any, /) -> Any:
    """Return the determinant of square matrices."""
    return wrapped(_ours.det(_floating("det", x)))


def slogdet(x: Any, /) -> SlogdetResult:
    """Return the sign and the logarithm of the absolute value of determinants."""
    return SlogdetResult(*wrapped(_ours.slogdet(_floating("slogdet", x))))


def inv(x: Any, /) -> Any:
    """Return the inverse of square matrices."""
    return wrapped(_ours.inv(_floating("inv", x)))


def solve(x1: Any, x2: Any, /) -> Any:
    """Solve the linear systems ``x1 x = x2``; a vector `x2` is one column."""
    return wrapped(_ours.solve(*pair("solve", x1, x2, "real floating")))


def eigh(x: Any, /) -> EighResult:
    """Return the eigenvalues and eigenvectors of symmetric matrices."""
    return EighResult(*wrapped(_ours.eigh(_floating("eigh", x))))


def eigvalsh(x: Any, /) -> Any:
    """Return the eigenvalues of symmetric matrices in ascending order."""
    return wrapped(_ours.eigvalsh(_floating("eigvalsh", x)))


def svd(x: Any, /, *, full_matrices: bool = True) -> SVDResult:
    """Return the singular value decomposition of matrices.

    Parameters
    ----------
    x : Array of shape (..., m, n)
    full_matrices : bool, default True
        Whether U and Vh are square.
    """
    return SVDResult(*wrapped(_ours.svd(_floating("svd", x), full_matrices)))


def svdvals(x: Any, /) -> Any:
    """Return the singular values of matrices in descending order."""
    return svd(x, full_matrices=False).S


def qr(x: Any, /, *, mode: str = "reduced") -> QRResult:
    """Return the QR decomposition of matrices; `mode` is "reduced" or "complete"."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr: mode is {mode!r}; expected 'reduced' or 'complete'")
    return QRResult(*wrapped(_ours.qr(_floating("qr", x), mode)))


def pinv(x: Any, /, *, rtol: Any = None) -> Any:
    """Return the pseudo-inverse of matrices.

    Parameters
    ----------
    x : Array of shape (..., m, n)
    rtol : float or Array, optional
        Singular values below this part of the largest one are 0; default max(m, n) times the
        distance of 1 from the next number.
    """
    x = _floating("pinv", x)
    return wrapped(_ours.pinv(x, _tolerance(x) if rtol is None else rtol))


def _tolerance(x: Any) -> float:
    return max(x.shape[-2:]) * float(np.finfo(x.dtype).eps)


def matrix_rank(x: Any, /, *, rtol: Any = None) -> Any:
    """Return the number of singular values of matrices above a part of the largest one."""
    x = _floating("matrix_rank", x)
    values = svdvals(x)
    limit = _tolerance(x) if rtol is None else rtol
    if hasattr(limit, "ndim"):
        limit = wrapped(_shapes.expand_dims(limit, -1))
    if not values.shape[-1]:
        return wrapped(_reductions.sum(nd.cast(values, dtype="bool"), -1))
    above = values > _reductions.max(values, -1, keepdims=True) * limit
    return wrapped(_reductions.sum(above, -1))


def matrix_power(x: Any, n: int, /) -> Any:
    """Return square matrices to an integer power."""
    return wrapped(_ours.matrix_power(_floating("matrix_power", x), n))


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """Return the norms of matrices in the last two axes.

    Parameters
    ----------
    x : Array
    keepdims : bool, default False
        Whether to keep the reduced axes with length 1.
    ord : {1, -1, 2, -2, inf, -inf, "fro", "nuc"}, default "fro"
    """
    return wrapped(_ours.norm(_floating("matrix_norm", x), ord, (-2, -1), keepdims))


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """Return the norms of vectors.

    Parameters
    ----------
    x : Array
    axis : int or tuple of int, optional
        Axes of the vectors, several of which are flattened; default all.
    keepdims : bool, default False
        Whether to keep the reduced axes with length 1.
    ord : number, default 2
        Order, also inf and -inf.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.linalg.vector_norm(xp.asarray([3.0, 4.0]))
    array(5.)
    """
    x = _floating("vector_norm", x)
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    listed = [axis_index(one, x.ndim) for one in axes]
    rest = [one for one in range(x.ndim) if one not in listed]
    flat = with_shape(
        _shapes.transpose(x, rest + listed),
        (*(x.shape[one] for one in rest), int(np.prod([x.shape[one] for one in listed]))),
    )
    result = wrapped(_ours.norm(flat, ord, -1))
    shape = tuple(1 if one in listed else n for one, n in enumerate(x.shape))
    return wrapped(with_shape(result, shape)) if keepdims else result
