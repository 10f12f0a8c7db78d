"""Files of sparse rows as LIBSVM writes them: a label, and ``index:value`` for what is not zero."""

import re
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..base.errors import OpforgeError

__all__ = ["SparseRows", "read_rows"]

_Numbers = np.ndarray[Any, Any]
_NEWLINE, _COLON = ord("\n"), ord(":")


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
    if b"#" in text:  # blanks in the place of comments: every row keeps its place in the file
        text = re.sub(rb"#[^\n]*", lambda found: b" " * len(found[0]), text)
    letters = np.frombuffer(text, np.uint8)
    is_blank = (letters == ord(" ")) | ((letters >= ord("\t")) & (letters <= ord("\r")))
    ends = np.flatnonzero(letters == _NEWLINE)
    words = np.flatnonzero(~is_blank & np.concatenate([[True], is_blank[:-1]])[: len(letters)])
    lines = np.searchsorted(ends, words)
    is_label = np.diff(lines, prepend=-1) > 0
    colons = np.searchsorted(words, np.flatnonzero(letters == _COLON), "right") - 1
    per_word = np.bincount(colons, minlength=len(words))
    numbers = _numbers(text.replace(b":", b" "))
    fits = (per_word == 1) | (is_label & (per_word == 0))
    if len(numbers) != len(words) + len(colons) or not fits.all():
        raise _malformed(text, path, what)
    places = np.arange(len(words)) + np.cumsum(per_word) - per_word
    features = places[~is_label]
    columns = numbers[features]
    outside = np.flatnonzero(~((columns >= 0) & (columns < width) & (columns % 1 == 0)))
    if outside.size:
        first = outside[0]
        raise OpforgeError(
            f"{what}: {path}, line {lines[~is_label][first] + 1}: got the index "
            f"{columns[first]:g}, expected a whole number from 0 to {width - 1}, for rows of "
            f"{width} numbers"
        )
    values, rows = numbers[features + 1], np.cumsum(is_label)[~is_label]
    if np.any((np.diff(columns) < 0) & (np.diff(rows) == 0)):  # a row may be in any order
        order = np.lexsort((columns, rows))
        values, columns = values[order], columns[order]
    first = np.flatnonzero(is_label)
    bounds = np.append(first - np.arange(len(first)), len(features))
    labels = numbers[places[is_label]]
    return SparseRows(
        labels, values, columns.astype(np.int64), bounds.astype(np.int64), words[is_label]
    )


def _numbers(text: bytes) -> _Numbers:
    """Return the numbers that blanks separate; none where one word is no number."""
    if text.isspace():  # NumPy finds a -1 there
        return np.empty(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # what NumPy before 2.3 does then
        try:
            return np.fromstring(text, sep=" ")
        except (ValueError, DeprecationWarning):
            return np.empty(0)


def _malformed(text: bytes, path: Path, what: str) -> OpforgeError:
    """Return the error that names the first word which is no pair of numbers, or no label."""
    for number, line in enumerate(text.split(b"\n"), 1):
        for place, word in enumerate(line.split()):
            parts = word.split(b":")
            fits = len(parts) == 2 or (place == 0 and len(parts) == 1)
            if not fits or any(_numbers(part).size != 1 for part in parts):
                expected = "index:value with numbers" if place else "a number, the label"
                shown = word[:40].decode("utf-8", "replace")
                return OpforgeError(
                    f"{what}: {path}, line {number}: got {shown!r}, expected {expected}"
                )
    return OpforgeError(f"{what}: {path} cannot be read")
