"""Matrices, triangles and grids of indices or coordinates."""

from typing import Any

import numpy as np

from opforge.plugin_api import AttributeValueError, F

from ..arguments import as_array, operand
from ..arrays import adopt
from ..promotion import default_integer
from ..shapes import broadcast_to, reshape
from ..symbols.namespace import is_symbol, namespace_of
from .arguments import context_of, expect_order, from_host

__all__ = [
    "eye",
    "identity",
    "indices",
    "meshgrid",
    "tri",
    "tril",
    "triu",
]


def eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: Any = None,
    order: str = "C",
    ctx: Any = None,
    *,
    device: Any = None,
) -> Any:
    """Return a matrix with ones on a diagonal and zeros elsewhere.

    Parameters
    ----------
    N : int
        Number of rows.
    M : int, optional
        Number of columns; default `N`.
    k : int, default 0
        Index of the diagonal; positive: above the main diagonal.
    dtype, order, ctx, device
        As in `zeros`.

    Examples
    --------
    >>> from opforge import np
    >>> np.eye(2)
    array([[1., 0.],
           [0., 1.]])
    """
    expect_order("eye", order)
    columns = N if M is None else M
    if N < 0 or columns < 0:
        raise AttributeValueError(f"np.eye: N is {N} and M {columns}, expected at least 0")
    return from_host(np.eye(N, columns, k, dtype=np.int8), dtype, context_of(ctx, device))


def identity(n: int, dtype: Any = None, ctx: Any = None, *, device: Any = None) -> Any:
    """Return the identity matrix with `n` rows; for the parameters see `eye`.

    Examples
    --------
    >>> from opforge import np
    >>> np.identity(1)
    array([[1.]])
    """
    return eye(n, dtype=dtype, ctx=context_of(ctx, device))


def tri(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: Any = None,
    ctx: Any = None,
    *,
    device: Any = None,
) -> Any:
    """Return a matrix with ones on and below a diagonal; for the parameters see `eye`.

    Examples
    --------
    >>> from opforge import np
    >>> np.tri(2)
    array([[1., 0.],
           [1., 1.]])
    """
    return from_host(np.tri(N, M, k, dtype=np.int8), dtype, context_of(ctx, device))


def tril(m: Any, k: int = 0) -> Any:
    """Return matrices with zeros above a diagonal.

    Parameters
    ----------
    m : ndarray
        Matrices in the last two axes; one axis is repeated as rows.
    k : int, default 0
        Index of the diagonal; positive: above the main diagonal.

    Examples
    --------
    >>> from opforge import np
    >>> np.tril(np.ones((2, 2)))
    array([[1., 0.],
           [1., 1.]])
    """
    return _triangle("tril", m, k)


def triu(m: Any, k: int = 0) -> Any:
    """Return matrices with zeros below a diagonal; for the parameters see `tril`.

    Examples
    --------
    >>> from opforge import np
    >>> np.triu(np.ones((2, 2)))
    array([[1., 1.],
           [0., 1.]])
    """
    return _triangle("triu", m, k)


def _triangle(name: str, m: Any, k: int) -> Any:
    f, m = operand(m)
    if not m.ndim:
        raise AttributeValueError(f"np.{name}: m has no axes, expected at least one")
    if m.ndim == 1:
        m = broadcast_to(m, m.shape * 2)
    if f is not F:  # by indices, so that the graph does not depend on lengths
        columns_less_rows = _index(f, m, -1) - _index(f, m, -2)
        chosen = columns_less_rows <= k if name == "tril" else columns_less_rows >= k
        return f.where(chosen, m, f.zeros_like(m))
    if not m.size:
        return adopt(F.identity(m))
    rows, columns = (
        adopt(F.arange(length, ctx=m.context, dtype="int64")) for length in m.shape[-2:]
    )
    limit = reshape(rows, (-1, 1)) + k
    chosen = columns <= limit if name == "tril" else columns >= limit
    return adopt(F.where(broadcast_to(chosen, m.shape), m, F.zeros_like(m)))


def _index(f: Any, like: Any, axis: int) -> Any:
    """Return the index along an axis of each element of a Symbol."""
    return f.squeeze(f.contrib.index_array(like, axes=(axis,)), axis=-1)


def indices(dimensions: Any, dtype: Any = None, ctx: Any = None) -> Any:
    """Return the indices of the elements of an array of shape `dimensions`, an array per axis.

    Parameters
    ----------
    dimensions : sequence of int
    dtype : optional
        Default int32, with ``npx.set_np(dtype=True)`` int64.
    ctx : Context, optional

    Examples
    --------
    >>> from opforge import np
    >>> np.indices((2, 2))[1]
    array([[0, 1],
           [0, 1]], dtype=int32)
    """
    return from_host(np.indices(dimensions), dtype or default_integer(), ctx)


def meshgrid(*xi: Any, indexing: str = "xy", sparse: Any = False, copy: Any = True) -> list[Any]:
    """Return coordinate arrays of a grid from the coordinates along its axes.

    Parameters
    ----------
    *xi : ndarray
        Coordinates along each axis.
    indexing : {"xy", "ij"}
        "xy": the first two axes are swapped, as in images.
    sparse : bool, default False
        Whether other axes keep length 1.
    copy : bool, default True
        Only True is supported.

    Examples
    --------
    >>> from opforge import np
    >>> [x.shape for x in np.meshgrid(np.arange(2), np.arange(3))]
    [(3, 2), (3, 2)]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"np.meshgrid: indexing is {indexing!r}, expected 'xy' or 'ij'")
    if not copy:
        raise NotImplementedError("np.meshgrid: copy=False is not supported")
    arrays = [as_array(x) for x in xi]
    order = list(range(len(arrays)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = [1, 0]
    lines = []
    for position, x in zip(order, arrays, strict=True):
        shape = [1] * len(arrays)
        shape[position] = -1 if is_symbol(x) else x.size
        lines.append(reshape(namespace_of(x).identity(x), tuple(shape)))
    if sparse:
        return lines
    if any(map(is_symbol, lines)):
        return [x + sum(y * 0 for y in lines if y is not x) for x in lines]
    grid = np.broadcast_shapes(*(x.shape for x in lines))
    return [adopt(broadcast_to(x, grid)) for x in lines]
