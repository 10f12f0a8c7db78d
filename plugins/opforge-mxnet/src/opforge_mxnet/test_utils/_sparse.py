"""Random sparse arrays, from NumPy's generator; MXNet's names."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from opforge import ndarray as nd
from opforge.base.context import Context

from ._devices import default_context, default_dtype
from ._numpy_loops import assign_each

__all__ = [
    "create_sparse_array",
    "create_sparse_array_zd",
    "rand_sparse_ndarray",
    "shuffle_csr_column_indices",
]


def rand_sparse_ndarray(
    shape: Sequence[int],
    stype: str,
    density: float | None = None,
    dtype: Any = None,
    distribution: str | None = None,
    data_init: float | None = None,
    rsp_indices: Any = None,
    modifier_func: Callable[[Any], Any] | None = None,
    shuffle_csr_indices: bool = False,
    ctx: Context | None = None,
) -> tuple[Any, tuple[Any, ...]]:
    """Return a random sparse array, and its parts.

    Parameters
    ----------
    shape : tuple of int
    stype : {"csr", "row_sparse"}
    density : float, optional
        Share of the elements, or the rows, that are stored; default: random.
    dtype : default float32
    distribution : {"uniform", "powerlaw"}, optional
        Powerlaw, of csr alone: each row has twice as many elements as that before.
    data_init : float, optional
        Of all stored elements.
    rsp_indices : sequence of int, optional
        Which rows are stored.
    modifier_func : callable, optional
        Applied to each element of rows.
    shuffle_csr_indices : bool, default False
        Let the columns of a row stand in any order.
    ctx : Context, optional

    Returns
    -------
    array : RowSparseNDArray or CSRNDArray
    parts : tuple
        ``(data, indices)`` of NumPy, or ``(indptr, indices, data)``.

    Examples
    --------
    >>> rand_sparse_ndarray((4, 5), "row_sparse", rsp_indices=[1, 3])[0].data.shape
    (2, 5)
    """
    assert stype in ("csr", "row_sparse"), f"unknown storage type {stype!r}"
    share = np.random.rand() if density is None else density
    kind = dtype or default_dtype()
    ctx = ctx or default_context()
    if stype == "row_sparse":
        assert distribution in (None, "uniform"), f"rows have no distribution {distribution!r}"
        rows = np.flatnonzero(np.random.rand(shape[0]) < share)
        rows = rows if rsp_indices is None else np.asarray(rsp_indices, np.int64)
        data = np.random.rand(len(rows), *shape[1:]).astype(kind)
        if data_init is not None:
            data.fill(data_init)
        if modifier_func is not None:
            data = assign_each(data, modifier_func)
        return nd.sparse.row_sparse_array((data, rows), shape, ctx, kind), (data, rows)
    matrix = _random_csr(tuple(shape), share, kind, distribution or "uniform", data_init, ctx)
    if shuffle_csr_indices:
        shuffle_csr_column_indices(matrix)
    return matrix, (matrix.indptr, matrix.indices, matrix.data)


def _random_csr(
    shape: tuple[int, ...], density: float, dtype: Any, distribution: str, value: Any, ctx: Context
) -> Any:
    assert len(shape) == 2, f"a csr array has two axes, got shape {shape}"
    count = int(shape[0] * shape[1] * density)
    if distribution == "powerlaw":
        keys = _powerlaw_places(*shape, count)
    else:
        assert distribution == "uniform", f"distribution {distribution!r} is not supported"
        keys = np.random.choice(shape[0] * shape[1], count, replace=False)
    data = 1 - np.random.rand(len(keys))  # none of them 0
    if value is not None:
        data.fill(value)
    places = np.divmod(keys, shape[1])
    return nd.sparse.csr_matrix((data.astype(dtype), places), shape, ctx, dtype)


def _powerlaw_places(rows: int, columns: int, count: int) -> Any:
    """Return flat places: one in each row, then twice as many in each, then what is left."""
    lengths = np.ones(rows, np.int64)
    left = count - rows
    for row in range(rows):
        wanted = min(columns, 2 << min(row, 40))
        lengths[row] = 1 + min(wanted - 1, max(left, 0))
        left -= lengths[row] - 1
    if left > 0:
        raise ValueError(f"density is too high for shape {(rows, columns)}: {left} places are left")
    starts = np.arange(rows) * columns
    return np.concatenate([start + np.arange(n) for start, n in zip(starts, lengths, strict=True)])


def create_sparse_array(
    shape: Sequence[int],
    stype: str,
    data_init: float | None = None,
    rsp_indices: Any = None,
    dtype: Any = None,
    modifier_func: Callable[[Any], Any] | None = None,
    density: float | None = 0.5,
    shuffle_csr_indices: bool = False,
) -> Any:
    """Return a random sparse array; parameters as of `rand_sparse_ndarray`."""
    if rsp_indices is not None:
        rsp_indices = np.sort(np.asarray(rsp_indices))
    options: dict[str, Any] = {"rsp_indices": rsp_indices, "modifier_func": modifier_func}
    if stype == "csr":
        options = {"shuffle_csr_indices": shuffle_csr_indices}
    return rand_sparse_ndarray(shape, stype, density, dtype, data_init=data_init, **options)[0]


def create_sparse_array_zd(
    shape: Sequence[int],
    stype: str,
    density: float,
    data_init: float | None = None,
    rsp_indices: Any = None,
    dtype: Any = None,
    modifier_func: Callable[[Any], Any] | None = None,
    shuffle_csr_indices: bool = False,
) -> Any:
    """Return a random sparse array, whose rows are those of `rsp_indices` alone."""
    return create_sparse_array(
        shape,
        stype,
        data_init,
        rsp_indices,
        dtype,
        modifier_func,
        0.0 if stype == "row_sparse" else density,
        shuffle_csr_indices,
    )


def shuffle_csr_column_indices(csr: Any) -> None:
    """Shuffle the column indices within each row of a CSR matrix, SciPy's or ours, in place."""
    bounds = np.asarray(csr.indptr)
    for begin, end in pairwise(bounds):
        csr.indices[begin:end] = np.random.permutation(np.asarray(csr.indices[begin:end]))
