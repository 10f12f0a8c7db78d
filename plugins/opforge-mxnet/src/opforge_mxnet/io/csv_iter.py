"""`CSVIter`: batches of rows from text files."""

import os
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from opforge import ndarray as nd
from opforge.base.errors import OpforgeError, ShapeError
from opforge.io.batch import DataDesc
from opforge.native.array.number_text import read_dense_rows
from opforge.ndarray import NDArray

from .row_batches import RowBatches
from .text_lines import line_at

__all__ = ["CSVIter"]

_Shape = int | Sequence[int]


class CSVIter(RowBatches):
    r"""Batches of rows of comma-separated numbers; files are read completely on construction.

    Comments, from ``#`` to the end of a line, and empty lines are skipped.

    Parameters
    ----------
    data_csv : path-like
        A file, or a folder whose files are all read in the order of their names.
    data_shape : tuple of int
        Shape of one sample; a row has that many numbers.
    batch_size : int
    label_csv : path-like, optional
        File with a label for each sample; without it all labels are 0.
    label_shape : tuple of int, default (1,)
        Shape of one label; labels of one number have shape (batch_size,).
    round_batch : bool, default True
        Pad the last batch with the first rows and start the next epoch after them. If False, pad it
        with rows of the previous batch and start each epoch at the first row.
    dtype : {"float32", "int32", "int64"}
    data_name, label_name : str, default "data" and "softmax_label"
    **ignored
        MXNet's reader-thread settings, such as ``prefetch_buffer``.

    Raises
    ------
    ShapeError
        A row does not match its shape, or there are fewer labels than rows.
    OpforgeError
        A file contains something other than numbers of `dtype`; the error names file and line.
    ValueError
        `batch_size` is less than 1.
    FileNotFoundError
        A file does not exist.

    Examples
    --------
    >>> import tempfile
    >>> from opforge import io
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("1,2\n3,4\n5,6\n")
    ...     file.flush()
    ...     batches = io.CSVIter(data_csv=file.name, data_shape=(2,), batch_size=2)
    >>> [batch.data[0].asnumpy().tolist() for batch in batches]
    [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [1.0, 2.0]]]
    """

    def __init__(
        self,
        *,
        data_csv: str | os.PathLike[str],
        data_shape: _Shape,
        batch_size: int,
        label_csv: str | os.PathLike[str] | None = None,
        label_shape: _Shape = (1,),
        round_batch: bool = True,
        dtype: Any = None,
        data_name: str = "data",
        label_name: str = "softmax_label",
        **ignored: Any,
    ) -> None:
        super().__init__(batch_size, round_batch)
        dtype = np.dtype(np.float32 if dtype in (None, "None") else dtype)
        label_shape = (label_shape,) if isinstance(label_shape, int) else tuple(label_shape)
        data_shape = (data_shape,) if isinstance(data_shape, int) else tuple(data_shape)
        each_label = () if label_shape == (1,) else label_shape
        self._data = _read(data_csv, dtype, data_shape)
        if label_csv in (None, "NULL"):
            self._label = np.zeros((len(self._data), *each_label), dtype)
        else:
            self._label = _read(label_csv, dtype, each_label)
        if len(self._label) < len(self._data):
            raise ShapeError(
                f"CSVIter: label_csv {label_csv} has {len(self._label)} rows, expected at least "
                f"{len(self._data)}, one for each row of data_csv {data_csv}"
            )
        self.provide_data = [DataDesc(data_name, (batch_size, *data_shape), dtype.type)]
        self.provide_label = [DataDesc(label_name, (batch_size, *each_label), dtype.type)]

    def _count(self) -> int:
        return len(self._data)

    def _batch_at(self, rows: np.ndarray) -> tuple[NDArray, NDArray]:
        kind = self._data.dtype
        return nd.array(self._data[rows], dtype=kind), nd.array(self._label[rows], dtype=kind)


def _read(path: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray:
    """Return the rows of a file, or of all files in a folder, as samples of `shape`."""
    path = Path(path)
    files = sorted(p for p in path.iterdir() if p.is_file()) if path.is_dir() else [path]
    rows = [_rows_of(file, dtype, shape) for file in files]
    if not any(map(len, rows)):
        raise ShapeError(f"CSVIter: {path} has no rows; expected at least one")
    return (rows[0] if len(rows) == 1 else np.concatenate(rows)).reshape(-1, *shape)


def _rows_of(file: Path, dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray:
    """Return the numbers of one file."""
    text = file.read_bytes()
    kind = np.dtype(np.float64 if dtype.kind == "f" else np.int64)
    rows = np.empty((text.count(b"\n") + 1, prod(shape)), kind)
    lower, upper = (-np.inf, np.inf) if dtype.kind == "f" else _integer_limits(dtype)
    count, stop = read_dense_rows(text, rows, lower, upper)
    if stop >= 0:
        raise _row_error(text, stop, file, dtype, shape)
    return rows[:count].astype(dtype)


def _integer_limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    """Return the smallest and the largest number of an integer type, at most those of int64."""
    limits, widest = np.iinfo(dtype), np.iinfo(np.int64)
    return int(limits.min), min(int(limits.max), int(widest.max))


def _row_error(
    text: bytes, stop: int, file: Path, dtype: np.dtype[Any], shape: tuple[int, ...]
) -> OpforgeError:
    """Return the error for the row that could not be parsed at offset `stop`."""
    number, before, after = line_at(text, stop)
    location = f"CSVIter: {file}, line {number}"
    count = (before + after).split(b"#")[0].count(b",") + 1
    if count != prod(shape):
        return ShapeError(
            f"{location} has {count} numbers; expected {prod(shape)} for shape {shape}. Each row "
            "must have that many, separated by commas"
        )
    expected = "a number"
    if dtype.kind != "f":
        expected = "an integer from {} to {}".format(*_integer_limits(dtype))
    word = after.split(b"#")[0].split(b",")[0].strip()
    shown = word[:40].decode("utf-8", "replace")
    return OpforgeError(f"{location}: got {shown!r}; expected {expected} for dtype {dtype}")
