"""`row_sparse_pull`: rows of a store's row-sparse arrays."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.errors import OpforgeError
from ..ndarray import NDArray

__all__ = ["is_sparse", "pull_rows", "rows_for"]


def is_sparse(array: Any) -> bool:
    """Return whether an array has a storage type other than the dense one.

    Examples
    --------
    >>> from opforge import nd
    >>> is_sparse(nd.ones((1,))), is_sparse(nd.zeros((1,), stype="row_sparse"))
    (False, True)
    """
    return bool(array.stype != "default")


def rows_for(key: Any, row_ids: Any) -> list[Any]:
    """Return the `row_ids` of each key: an NDArray, or a list with one for each device.

    Raises
    ------
    ValueError
        The numbers of keys and of `row_ids` differ.
    """
    if not isinstance(key, list | tuple):
        return [row_ids]
    if not isinstance(row_ids, list | tuple):
        return [row_ids] * len(key)
    if len(row_ids) != len(key):
        raise ValueError(
            f"KVStore.row_sparse_pull: got {len(row_ids)} row_ids for {len(key)} keys; pass an "
            "NDArray or a list of them for each key"
        )
    return list(row_ids)


def pull_rows(name: str, source: Any, targets: Sequence[Any], row_ids: Any) -> None:
    """Write rows of `source` into arrays.

    Parameters
    ----------
    name : str
        Key as shown in errors.
    source : RowSparseNDArray
    targets : list of RowSparseNDArray
    row_ids : NDArray of any shape, or list of them
        Rows for each target; one array applies to all targets.

    Raises
    ------
    OpforgeError
        An array is not row-sparse, or a row is out of range.
    """
    for subject, arrays in (("its value has", [source]), ("the arrays in out have", targets)):
        for array in arrays:
            if array.stype != "row_sparse":
                raise OpforgeError(
                    f"KVStore.row_sparse_pull: key {name}: {subject} storage type "
                    f"{array.stype}; expected row_sparse. Use pull instead"
                )
    ids = list(row_ids) if isinstance(row_ids, list | tuple) else [row_ids]
    if len(ids) == 1:
        ids *= len(targets)
    if len(ids) != len(targets):
        raise OpforgeError(
            f"KVStore.row_sparse_pull: key {name}: got {len(ids)} row_ids for {len(targets)} "
            f"arrays; expected 1 or {len(targets)}"
        )
    for target, rows in zip(targets, ids, strict=True):
        _expect_rows(name, rows, source.shape[0])
        target[:] = source.retain(rows.as_in_context(source.context))


def _expect_rows(name: str, rows: Any, count: int) -> None:
    if not isinstance(rows, NDArray) or is_sparse(rows):
        raise TypeError(
            f"KVStore.row_sparse_pull: key {name}: row_ids has type {type(rows).__name__}; "
            "expected a dense NDArray"
        )
    numbers = rows.asnumpy()
    wrong = numbers[(numbers < 0) | (numbers >= count) | np.isnan(numbers)]
    if wrong.size:
        raise OpforgeError(
            f"KVStore.row_sparse_pull: key {name}: row {wrong[0]} is out of range; expected 0 to "
            f"{count - 1}"
        )
