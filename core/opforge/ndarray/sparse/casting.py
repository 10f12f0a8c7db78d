"""`cast_storage`: conversion between storage types."""

from typing import Any

from ...native.array import Array, StoredArray
from .._arguments import expect_array
from .._operators import operators
from .creation import sparse_class
from .variable import on_tape

__all__ = ["cast_storage", "identity_like"]


def cast_storage(data: Any, stype: str, out: Any = None, name: str | None = None) -> Any:
    """Return a copy of an array with another storage type.

    Parameters
    ----------
    data : NDArray of any storage type
    stype : {"default", "csr", "row_sparse"}
    out : NDArray, optional
        Filled and returned instead of a new array.
    name : str, optional
        Accepted because `sym.cast_storage` takes it.

    Raises
    ------
    ValueError
        The storage type is unknown, `data` is not a matrix, as ``"csr"`` requires, or it has the
        other sparse type.
    """
    if isinstance(data, StoredArray):
        result = data.tostype(stype)
    else:
        expect_array("cast_storage", "data", data)
        result = _of_dense(data, stype)
    if out is None:
        return result
    out[:] = result
    return out


def identity_like(prop: Any, lhs: Any, rhs: Any) -> Any:
    """Return the first array with the storage type of the second."""
    return (
        NotImplemented
        if isinstance(rhs, Array)
        else cast_storage(lhs.tostype("default"), rhs.stype)
    )


def _of_dense(data: Array, stype: str) -> Any:
    """Return a dense array with another storage type."""
    if stype == "default":
        return operators().identity(data)
    return on_tape(sparse_class(stype)._from_dense(data), data)
