"""Steps on rows: what a row-sparse gradient says of a weight, and of its states."""

from typing import Any

from ..native import calls
from ..native.array import Array, StoredArray, empty, numpy_alias
from ..ndarray import NDArray

__all__ = ["Rows", "is_row_sparse", "table"]


def is_row_sparse(grad: Any) -> bool:
    """Tell whether an array, a weight or its gradient, stores rows of its own choice."""
    return isinstance(grad, StoredArray) and grad.stype == "row_sparse"  # type: ignore[attr-defined]


def table(weight: Any) -> Any:
    """Return a weight as a dense array of its own memory; one that is row-sparse gets all rows."""
    return weight.all_rows() if is_row_sparse(weight) else weight


class Rows:
    """The rows of a weight and of its states that a gradient has, as dense arrays of their own.

    Parameters
    ----------
    weight : NDArray
    grad : RowSparseNDArray
        Rows that it has twice are added.
    state : None, NDArray or tuple of NDArray
        Of the weight's shape.

    Examples
    --------
    >>> from opforge import nd
    >>> weight = nd.zeros((3, 1))
    >>> rows = Rows(weight, nd.sparse.row_sparse_array(([[1.0]], [2]), shape=(3, 1)), None)
    >>> rows.weight -= rows.grad
    >>> rows.write_back()
    >>> weight.asnumpy().tolist()
    [[0.0], [0.0], [-1.0]]
    """

    def __init__(self, weight: NDArray, grad: Any, state: Any) -> None:
        total = summed(grad)
        self._places = total.indices
        self._wholes = [weight, *_flat(state)]
        self._parts = [_gathered(whole, self._places) for whole in self._wholes]
        self.weight, *states = self._parts
        self.grad = total.data
        self.state: Any = tuple(states) if isinstance(state, tuple) else (states or [None])[0]

    def write_back(self) -> None:
        """Write the rows to where they come from."""
        rows = numpy_alias(self._places)
        for whole, part in zip(self._wholes, self._parts, strict=True):
            whole.wait_to_write()
            numpy_alias(whole)[rows] = numpy_alias(part)
            whole.wait_to_write()


def summed(grad: Any) -> Any:
    """Return a row-sparse array with each row once, all in range."""
    from ..ndarray.sparse.arithmetic import summed_rows

    return summed_rows([grad])


def _flat(state: Any) -> list[Any]:
    if state is None:
        return []
    return list(state) if isinstance(state, tuple) else [state]


def _gathered(whole: Array, places: Array) -> Any:
    result = empty((places.size, *whole.shape[1:]), whole.dtype_code, whole.context)
    if result.size:
        calls.take(whole, places, result, 0, "raise")
    return result
