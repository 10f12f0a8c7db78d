"""`row_sparse_pull`: those rows of what a store keeps that workers ask for."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.errors import OpforgeError
from ..ndarray import NDArray

__all__ = ["is_sparse", "pull_rows", "rows_for"]


def is_sparse(array: Any) -> bool:
    """Tell whether an array has another storage type than the dense one.

    Examples
    --------
    >>> from opforge import nd
    >>> is_sparse(nd.ones((1,))), is_sparse(nd.zeros((1,), stype="row_sparse"))
    (False, True)
    """
    return bool(array.stype != "default")


def rows_for(key: Any, row_ids: Any) -> list[Any]:
    """Return what `row_ids` has for each key: an NDArray, or a list with one for each device.

    Raises
    ------
    ValueError
        There are more or fewer than keys.
    """
    if not isinstance(key, list | tuple):
        return [row_ids]
    if not isinstance(row_ids, list | tuple):
        return [row_ids] * len(key)
    if len(row_ids) != len(key):
        raise ValueError(
            f"KVStore.row_sparse_pull: got {len(row_ids)} row_ids for {len(key)} keys; pass an "
            "NDArray, or a list of them, for each key"
        )
    return list(row_ids)


def pull_rows(name: str, source: Any, targets: Sequence[Any], row_ids: Any) -> None:
    """Write rows of `source` into arrays.

    Parameters
    ----------
    name : str
        Of the key, as errors show it.
    source : RowSparseNDArray
    targets : list of RowSparseNDArray
    row_ids : NDArray of any shape, or list of them
        Which rows each target gets; one is for all.

    Raises
    ------
    OpforgeError
        An array is not row-sparse, or a row is out of range.
    """
    for kind, arrays in (("it has", [source]), ("the arrays to copy to have", targets)):
        for array in arrays:
            if array.stype != "row_sparse":
                raise OpforgeError(
                    f"KVStore.row_sparse_pull: the key {name}: {kind} storage type "
                    f"{array.stype}, expected row_sparse; use pull"
                )
    wanted = list(row_ids) if isinstance(row_ids, list | tuple) else [row_ids]
    if len(wanted) == 1:
        wanted *= len(targets)
    if len(wanted) != len(targets):
        raise OpforgeError(
            f"KVStore.row_sparse_pull: the key {name}: got {len(wanted)} row_ids for "
            f"{len(targets)} arrays, expected one or as many"
        )
    for target, rows in zip(targets, wanted, strict=True):
        _expect_rows(name, rows, source.shape[0])
        target[:] = source.retain(rows.as_in_context(source.context))


def _expect_rows(name: str, rows: Any, count: int) -> None:
    if not isinstance(rows, NDArray) or is_sparse(rows):
        raise TypeError(
            f"KVStore.row_sparse_pull: the key {name}: row_ids are {type(rows).__name__}, expected "
            "an NDArray"
        )
    numbers = rows.asnumpy()
    wrong = numbers[(numbers < 0) | (numbers >= count) | np.isnan(numbers)]
    if wrong.size:
        raise OpforgeError(
            f"KVStore.row_sparse_pull: the key {name}: there is no row {wrong[0]}, expected 0 to "
            f"{count - 1}"
        )
