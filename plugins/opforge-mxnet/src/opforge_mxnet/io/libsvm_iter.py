"""`LibSVMIter`: batches of sparse rows from text files."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from opforge import ndarray as nd
from opforge.base.errors import ShapeError
from opforge.io.batch import DataDesc
from opforge.ndarray import NDArray

from .libsvm_text import SparseRows, read_rows
from .row_batches import RowBatches

__all__ = ["LibSVMIter"]


class LibSVMIter(RowBatches):
    r"""Batches of the rows of a LIBSVM file, as csr matrices.

    Each line has a label, followed by ``index:value`` for each non-zero element. Indices start
    at 0. The file is read completely on construction.

    Parameters
    ----------
    data_libsvm : path-like
    data_shape : tuple of one int, or int
        Length of a row, zeros included.
    batch_size : int
    label_libsvm : path-like, optional
        File of the same format whose rows are the labels, also csr matrices; they replace the
        labels of the first file.
    label_shape : tuple of one int, or int, default (1,)
        Length of a row of `label_libsvm`.
    num_parts, part_index : int, default 1 and 0
        Read the rows of one of `num_parts` parts of equal length in bytes, so that each worker
        reads its own.
    round_batch : bool, default True
        Pad the last batch with the first rows and start the next epoch after them. If False, pad it
        with rows of the previous batch and start each epoch at the first row.
    dtype : dtype, default float32
    data_name, label_name : str, default "data" and "softmax_label"
    **ignored
        MXNet's reader-thread settings, such as ``prefetch_buffer``.

    Raises
    ------
    OpforgeError
        A line is malformed or has an index beyond `data_shape`; the error names file and line.
    ShapeError
        A shape does not have one axis, there are fewer labels than rows, or the part has no rows.
    ValueError
        `batch_size` is less than 1, or `part_index` is out of range.
    FileNotFoundError
        A file does not exist.

    Examples
    --------
    >>> import tempfile
    >>> from opforge import io
    >>> with tempfile.NamedTemporaryFile("w", suffix=".libsvm") as file:
    ...     _ = file.write("1 0:0.5 2:1.5\n0 1:2\n")
    ...     file.flush()
    ...     batches = io.LibSVMIter(data_libsvm=file.name, data_shape=(3,), batch_size=2)
    >>> batch = batches.next()
    >>> batch.data[0]
    <BLANKLINE>
    <CSRNDArray 2x3 @cpu(0)>
    >>> batch.label[0].asnumpy().tolist()
    [1.0, 0.0]
    """

    def __init__(
        self,
        *,
        data_libsvm: str | os.PathLike[str],
        data_shape: int | Sequence[int],
        batch_size: int,
        label_libsvm: str | os.PathLike[str] | None = None,
        label_shape: int | Sequence[int] = (1,),
        num_parts: int = 1,
        part_index: int = 0,
        round_batch: bool = True,
        dtype: Any = None,
        data_name: str = "data",
        label_name: str = "softmax_label",
        **ignored: Any,
    ) -> None:
        super().__init__(batch_size, round_batch)
        self._dtype: Any = np.dtype(np.float32 if dtype in (None, "None") else dtype)
        path = Path(data_libsvm)
        self._width = _only_axis("data_shape", data_shape)
        all_rows = read_rows(path, self._width, "LibSVMIter")
        part = _part_of(all_rows, path.stat().st_size, num_parts, part_index)
        if not part.size:
            raise ShapeError(
                f"LibSVMIter: part {part_index} of {num_parts} of data_libsvm {path} has no rows; "
                f"expected at least one; the file has {len(all_rows.labels)} rows"
            )
        self._data = all_rows.taken(part)
        self._label: SparseRows | None = None
        label: tuple[int, ...] = (batch_size,)
        if label_libsvm not in (None, "NULL"):
            self._label_width = _only_axis("label_shape", label_shape)
            labels = read_rows(Path(label_libsvm), self._label_width, "LibSVMIter")
            if len(labels.labels) < len(all_rows.labels):
                raise ShapeError(
                    f"LibSVMIter: label_libsvm {label_libsvm} has {len(labels.labels)} rows, "
                    f"expected at least {len(all_rows.labels)}, one for each row of data_libsvm "
                    f"{path}"
                )
            self._label = labels.taken(part)
            label = (batch_size, self._label_width)
        kind = self._dtype.type
        self.provide_data = [DataDesc(data_name, (batch_size, self._width), kind)]
        self.provide_label = [DataDesc(label_name, label, kind)]

    def _count(self) -> int:
        return len(self._data.labels)

    def _batch_at(self, rows: np.ndarray[Any, Any]) -> tuple[NDArray, NDArray]:
        data = self._data.taken(rows)
        if self._label is None:
            labels = nd.array(data.labels, dtype=self._dtype)
        else:
            labels = self._matrix(self._label.taken(rows), self._label_width)
        return self._matrix(data, self._width), labels

    def _matrix(self, rows: SparseRows, width: int) -> Any:
        parts = rows.values, rows.columns, rows.bounds
        return nd.sparse.csr_matrix(parts, (len(rows.labels), width), dtype=self._dtype)


def _only_axis(argument: str, shape: int | Sequence[int]) -> int:
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    if len(sizes) != 1 or sizes[0] < 1:
        raise ShapeError(
            f"LibSVMIter: {argument} is {sizes}, expected the length of a row, as in (100,)"
        )
    return int(sizes[0])


def _part_of(rows: SparseRows, size: int, count: int, index: int) -> np.ndarray[Any, Any]:
    """Return the indices of the rows that begin in a part of the file, as MXNet divides it."""
    if count < 1 or not 0 <= index < count:
        raise ValueError(
            f"LibSVMIter: got part_index={index} of num_parts={count}, expected 0 to num_parts - 1"
        )
    length = max(-(-size // count), 1)
    # A row that begins exactly at a part's start belongs to the previous part, except the first.
    parts = np.maximum(rows.offsets - 1, 0) // length
    return np.flatnonzero(parts == index)
