"""Files of sparse rows as LIBSVM writes them: a label, and ``index:value`` for what is not zero."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..base.errors import OpforgeError
from ..native.array.number_text import read_sparse_rows
from .text_places import line_at

__all__ = ["SparseRows", "read_rows"]

_Numbers = np.ndarray[Any, Any]


class SparseRows(NamedTuple):
    """Rows of a file: the parts of a csr matrix, and what else is known of them."""

    labels: _Numbers  # of each row
    values: _Numbers
    columns: _Numbers
    bounds: _Numbers  # where rows begin and end among the values
    offsets: _Numbers  # of rows in the file, in bytes

    def taken(self, rows: _Numbers) -> "SparseRows":
        """Return the rows with these numbers."""
        begins, lengths = self.bounds[rows], np.diff(self.bounds)[rows]
        bounds = np.concatenate([[0], np.cumsum(lengths)])
        places = np.arange(bounds[-1]) + np.repeat(begins - bounds[:-1], lengths)
        return SparseRows(
            self.labels[rows], self.values[places], self.columns[places], bounds, self.offsets[rows]
        )


def read_rows(path: Path, width: int, what: str) -> SparseRows:
    """Return the rows of a file, each with its columns in order.

    Comments, from ``#`` to the end of a line, and empty lines are left out, and so is a weight
    behind a label, as in ``1:0.5``.

    Parameters
    ----------
    path : Path
    width : int
        How many columns there are; the first one is 0.
    what : str
        Who reads, as errors say.

    Raises
    ------
    OpforgeError
        A line holds something else; file and line are named.
    """
    text = path.read_bytes()
    labels, values, columns, bounds, offsets, ascend, stop = read_sparse_rows(text, width)
    if stop >= 0:
        raise _malformed(text, stop, path, width, what)
    if not ascend:  # a row may be in any order
        order = np.lexsort((columns, np.repeat(np.arange(len(labels)), np.diff(bounds))))
        values, columns = values[order], columns[order]
    return SparseRows(labels, values, columns, bounds, offsets)


def _malformed(text: bytes, stop: int, path: Path, width: int, what: str) -> OpforgeError:
    """Return the error that names the word at `stop`, which is no pair of numbers, or no label."""
    number, before, after = line_at(text, stop)
    word = after.split(b"#")[0].split()[0]
    index, _, value = word.partition(b":")
    place = f"{what}: {path}, line {number}"
    if before.strip() and _is_number(index) and _is_number(value):
        return OpforgeError(
            f"{place}: got the index {float(index):g}, expected a whole number from 0 to "
            f"{width - 1}, for rows of {width} numbers"
        )
    expected = "index:value with numbers" if before.strip() else "a number, the label"
    shown = word[:40].decode("utf-8", "replace")
    return OpforgeError(f"{place}: got {shown!r}, expected {expected}")


def _is_number(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
