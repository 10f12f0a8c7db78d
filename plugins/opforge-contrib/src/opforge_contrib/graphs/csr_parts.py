"""Validated NumPy parts of csr matrices and vertex lists."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from opforge.plugin_api import DTypeError, F, OpforgeError

__all__ = ["Graph", "csr_matrix", "expect_type", "graph_of", "vertices_of"]


@dataclass(frozen=True)
class Graph:
    """Parts of a csr matrix.

    Parameters
    ----------
    ids : numpy.ndarray
        Edge IDs, one for each stored value.
    columns : numpy.ndarray
        Column of each edge, in int64.
    bounds : numpy.ndarray
        First edge of each row, followed by the number of edges.
    """

    ids: Any
    columns: Any
    bounds: Any

    def edges_of(self, rows: Any) -> tuple[Any, Any]:
        """Return the positions of the edges in `rows`, row by row, and their number in each."""
        counts = self.bounds[rows + 1] - self.bounds[rows]
        ends = np.cumsum(counts)
        shifts = np.repeat(self.bounds[rows] - (ends - counts), counts)
        return np.arange(len(shifts)) + shifts, counts


def graph_of(operator: str, name: str, matrix: Any, dtype: str | None = "int64") -> Graph:
    """Return the parts of a csr matrix, which users may create from arbitrary indices.

    Parameters
    ----------
    operator, name : str
        Operator and input, for errors.
    matrix : CSRNDArray
    dtype : str, optional
        Required element type.

    Raises
    ------
    OpforgeError
        The array is not a csr matrix, or its parts are inconsistent.
    DTypeError
        The elements have another type.
    """
    if getattr(matrix, "stype", None) != "csr":
        raise OpforgeError(
            f"operator '{operator}': '{name}' has the storage type "
            f"{getattr(matrix, 'stype', 'default')!r}; expected a csr matrix, convert it by "
            "x.tostype('csr')"
        )
    if dtype is not None:
        expect_type(operator, name, matrix, dtype)
    matrix.check_format(full_check=False)
    return Graph(*map(np.asarray, (matrix.data, matrix.indices, matrix.indptr)))


def vertices_of(operator: str, name: str, array: Any, count: int) -> Any:
    """Return vertex IDs as a NumPy array.

    Parameters
    ----------
    operator, name : str
        Operator and input, for errors.
    array : NDArray
        Of int64.
    count : int
        Number of vertices of the graph.

    Raises
    ------
    OpforgeError
        The array is sparse, or an ID is out of range.
    DTypeError
        The array has another type.
    """
    ids = dense_of(operator, name, array, "int64")
    expect_vertices(operator, name, ids, count)
    return ids


def expect_vertices(operator: str, name: str, ids: Any, count: int) -> None:
    """Raise OpforgeError if an ID is out of range."""
    is_wrong = ~((ids >= 0) & (ids < count))  # also if an ID is NaN
    if is_wrong.any():
        raise OpforgeError(
            f"operator '{operator}': '{name}' contains {ids[is_wrong][0]}; expected 0 to "
            f"{count - 1}, as the graph has {count} vertices"
        )


def dense_of(operator: str, name: str, array: Any, dtype: str | None = None) -> Any:
    """Return a dense input as a NumPy array; see `vertices_of` for the errors."""
    if getattr(array, "stype", "default") != "default":
        raise OpforgeError(
            f"operator '{operator}': '{name}' has the storage type {array.stype!r}; expected a "
            "dense array, convert it by x.tostype('default')"
        )
    if dtype is not None:
        expect_type(operator, name, array, dtype)
    return np.asarray(array)


def expect_type(operator: str, name: str, array: Any, dtype: str) -> None:
    """Raise DTypeError if an input has another element type."""
    if np.dtype(array.dtype) != dtype:
        raise DTypeError(
            f"operator '{operator}': '{name}' has the type {np.dtype(array.dtype).name}; expected "
            f"{dtype}, convert it by x.astype({dtype!r})"
        )


def csr_matrix(ids: Any, columns: Any, bounds: Any, shape: tuple[int, int], ctx: Any) -> Any:
    """Return the csr matrix with NumPy parts."""
    parts = (np.ascontiguousarray(part) for part in (ids, columns, bounds))
    return F.sparse.csr_matrix(tuple(parts), shape=shape, ctx=ctx, dtype=ids.dtype)
