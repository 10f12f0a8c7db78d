"""Updates restricted to the rows of a weight and its states that a row-sparse gradient has."""

from typing import Any

from ..native import calls
from ..native.array import Array, StoredArray, empty, numpy_alias
from ..ndarray import NDArray

__all__ = ["GatheredRows", "dense_weight", "is_row_sparse"]


def is_row_sparse(grad: Any) -> bool:
    """Return whether an array, a weight or its gradient, is row-sparse."""
    return isinstance(grad, StoredArray) and grad.stype == "row_sparse"  # type: ignore[attr-defined]


def dense_weight(weight: Any) -> Any:
    """Return a row-sparse weight as a dense array sharing its memory; it is given all rows."""
    return weight.all_rows() if is_row_sparse(weight) else weight


class GatheredRows:
    """Dense copies of the rows of a weight and its states that a gradient has.

    Parameters
    ----------
    weight : NDArray
    grad : RowSparseNDArray
        Duplicate rows are summed.
    state : None, NDArray or tuple of NDArray
        Of the shape of `weight`.

    Examples
    --------
    >>> from opforge import nd
    >>> weight = nd.zeros((3, 1))
    >>> rows = GatheredRows(weight, nd.sparse.row_sparse_array(([[1.0]], [2]), shape=(3, 1)), None)
    >>> rows.weight -= rows.grad
    >>> rows.write_back()
    >>> weight.asnumpy().tolist()
    [[0.0], [0.0], [-1.0]]
    """

    def __init__(self, weight: NDArray, grad: Any, state: Any) -> None:
        total = summed(grad)
        self._rows = total.indices
        self._sources = [weight, *_flat(state)]
        self._copies = [_gather_rows(source, self._rows) for source in self._sources]
        self.weight, *states = self._copies
        self.grad = total.data
        self.state: Any = tuple(states) if isinstance(state, tuple) else (states or [None])[0]

    def write_back(self) -> None:
        """Write the rows back to the weight and its states."""
        rows = numpy_alias(self._rows)
        for source, copy in zip(self._sources, self._copies, strict=True):
            source.wait_to_write()
            numpy_alias(source)[rows] = numpy_alias(copy)
            source.wait_to_write()


def summed(grad: Any) -> Any:
    """Return a row-sparse array with unique rows, all in range."""
    from ..ndarray.sparse.arithmetic import summed_rows

    return summed_rows([grad])


def _flat(state: Any) -> list[Any]:
    if state is None:
        return []
    return list(state) if isinstance(state, tuple) else [state]


def _gather_rows(source: Array, rows: Array) -> Any:
    result = empty((rows.size, *source.shape[1:]), source.dtype_code, source.context)
    if result.size:
        calls.take(source, rows, result, 0, "raise")
    return result
