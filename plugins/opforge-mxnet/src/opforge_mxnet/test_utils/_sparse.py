"""Random sparse arrays from NumPy's global generator, under MXNet's names."""

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
    """Return a random sparse array and its component arrays.

    Parameters
    ----------
    shape : tuple of int
    stype : {"csr", "row_sparse"}
    density : float, optional
        Fraction of the elements, or of the rows, that are stored; default: random.
    dtype : default float32
    distribution : {"uniform", "powerlaw"}, optional
        "powerlaw" is only for csr: each row has twice as many elements as the previous one.
    data_init : float, optional
        Value of all stored elements; default: random.
    rsp_indices : sequence of int, optional
        Rows to store in a row_sparse array, instead of random ones.
    modifier_func : callable, optional
        Function to apply to each stored element of a row_sparse array.
    shuffle_csr_indices : bool, default False
        Shuffle the column indices within each row of a csr array.
    ctx : Context, optional

    Returns
    -------
    array : RowSparseNDArray or CSRNDArray
    parts : tuple
        ``(data, indices)`` of a row_sparse array, as NumPy arrays, or
        ``(indptr, indices, data)`` of a csr array.

    Examples
    --------
    >>> rand_sparse_ndarray((4, 5), "row_sparse", rsp_indices=[1, 3])[0].data.shape
    (2, 5)
    """
    assert stype in ("csr", "row_sparse"), f"stype is {stype!r}; expected 'csr' or 'row_sparse'"
    share = np.random.rand() if density is None else density
    kind = dtype or default_dtype()
    ctx = ctx or default_context()
    if stype == "row_sparse":
        assert distribution in (None, "uniform"), (
            f"distribution is {distribution!r}; expected 'uniform' for row_sparse"
        )
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
    assert len(shape) == 2, f"shape is {shape}; expected two axes for csr"
    count = int(shape[0] * shape[1] * density)
    if distribution == "powerlaw":
        keys = _powerlaw_indices(*shape, count)
    else:
        assert distribution == "uniform", (
            f"distribution is {distribution!r}; expected 'uniform' or 'powerlaw'"
        )
        keys = np.random.choice(shape[0] * shape[1], count, replace=False)
    data = 1 - np.random.rand(len(keys))  # in (0, 1], so that no stored element is zero
    if value is not None:
        data.fill(value)
    coordinates = np.divmod(keys, shape[1])
    return nd.sparse.csr_matrix((data.astype(dtype), coordinates), shape, ctx, dtype)


def _powerlaw_indices(rows: int, columns: int, count: int) -> Any:
    """Return flat indices: up to ``2 ** (i + 1)`` in row i, and at least one in every row."""
    lengths = np.ones(rows, np.int64)
    left = count - rows
    for row in range(rows):
        wanted = min(columns, 2 << min(row, 40))
        lengths[row] = 1 + min(wanted - 1, max(left, 0))
        left -= lengths[row] - 1
    if left > 0:
        raise ValueError(
            f"density is too high for shape {(rows, columns)}: {left} elements do not fit in a "
            "powerlaw distribution. Pass a lower density"
        )
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
    """Return a random sparse array; see `rand_sparse_ndarray` for the parameters."""
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
    """Return a random sparse array; a row_sparse one has only the rows `rsp_indices`."""
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
    """Shuffle the column indices within each row of an opforge or SciPy CSR matrix, in place."""
    bounds = np.asarray(csr.indptr)
    for begin, end in pairwise(bounds):
        csr.indices[begin:end] = np.random.permutation(np.asarray(csr.indices[begin:end]))
