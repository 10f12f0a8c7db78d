"""Sparse rows of LIBSVM files: a label, then ``index:value`` for each non-zero element."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from opforge.base.errors import OpforgeError
from opforge.native.array.number_text import read_sparse_rows

from .text_lines import line_at

__all__ = ["SparseRows", "read_rows"]

_Numbers = np.ndarray[Any, Any]


class SparseRows(NamedTuple):
    """Rows of a file: the arrays of a csr matrix, with labels and byte offsets."""

    labels: _Numbers  # one per row
    values: _Numbers
    columns: _Numbers
    bounds: _Numbers  # start and end of each row in `values`
    offsets: _Numbers  # of the rows in the file, in bytes

    def taken(self, rows: _Numbers) -> "SparseRows":
        """Return the rows at the given indices."""
        begins, lengths = self.bounds[rows], np.diff(self.bounds)[rows]
        bounds = np.concatenate([[0], np.cumsum(lengths)])
        elements = np.arange(bounds[-1]) + np.repeat(begins - bounds[:-1], lengths)
        return SparseRows(
            self.labels[rows],
            self.values[elements],
            self.columns[elements],
            bounds,
            self.offsets[rows],
        )


def read_rows(path: Path, width: int, reader: str) -> SparseRows:
    """Return the rows of a file, each with its columns in order.

    Comments, from ``#`` to the end of a line, and empty lines are skipped, and so is a weight after
    the label, as in ``1:0.5``.

    Parameters
    ----------
    path : Path
    width : int
        Number of columns; the first one has index 0.
    reader : str
        Name of the calling iterator, for errors.

    Raises
    ------
    OpforgeError
        A line is malformed; the error names file and line.
    """
    text = path.read_bytes()
    labels, values, columns, bounds, offsets, ascend, stop = read_sparse_rows(text, width)
    if stop >= 0:
        raise _word_error(text, stop, path, width, reader)
    if not ascend:  # the columns of a row may be in any order
        order = np.lexsort((columns, np.repeat(np.arange(len(labels)), np.diff(bounds))))
        values, columns = values[order], columns[order]
    return SparseRows(labels, values, columns, bounds, offsets)


def _word_error(text: bytes, stop: int, path: Path, width: int, reader: str) -> OpforgeError:
    """Return the error for the malformed word at offset `stop`."""
    number, before, after = line_at(text, stop)
    word = after.split(b"#")[0].split()[0]
    index, _, value = word.partition(b":")
    location = f"{reader}: {path}, line {number}"
    if before.strip() and _is_number(index) and _is_number(value):
        return OpforgeError(
            f"{location}: got the index {float(index):g}; expected an integer from 0 to "
            f"{width - 1} for rows of {width} numbers"
        )
    expected = "index:value with numbers" if before.strip() else "a number as the label"
    shown = word[:40].decode("utf-8", "replace")
    return OpforgeError(f"{location}: got {shown!r}; expected {expected}")


def _is_number(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
