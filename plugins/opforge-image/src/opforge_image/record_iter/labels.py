"""Labels of records: those in their headers, or those of a list that `im2rec` wrote."""

import os

import numpy as np

from opforge.plugin_api import OpforgeError, ShapeError

from ..lists import read_list
from ..recordio.header import HEADER
from ..recordio.reading import label_counts

__all__ = ["LabelSource"]


class LabelSource:
    """The labels of each record.

    Parameters
    ----------
    width : int
        Labels a record; negative: any number.
    path : path-like
        List to take them from, by a record's identifier; empty: from the records' headers.
    """

    def __init__(self, width: int, path: str | os.PathLike[str] = "") -> None:
        self._width = width
        self._path = os.fspath(path)
        self._of = {number: labels for number, labels, _ in read_list(path)} if self._path else None

    def widest(self, path: str | os.PathLike[str], places: np.ndarray) -> int:
        """Return the largest number of labels: in the list, or in the records of a file.

        Parameters
        ----------
        path : path-like
        places : numpy.ndarray
            Where its records begin.
        """
        if self._of is not None:
            return max(map(len, self._of.values()), default=0)
        return max(label_counts(path, places), default=0)

    def __call__(self, header: HEADER) -> np.ndarray:
        """Return the labels of the record with this header.

        Raises
        ------
        ShapeError
            It has another number of labels.
        OpforgeError
            The list has no line for it.
        """
        if self._of is None:
            labels = np.atleast_1d(np.asarray(header.label, np.float32))
        elif header.id in self._of:
            labels = np.asarray(self._of[header.id], np.float32)
        else:
            raise OpforgeError(f"record {header.id} has no line in {self._path}")
        if len(labels) != self._width >= 0:
            raise ShapeError(
                f"record {header.id} has {len(labels)} labels, and label_width is {self._width}; "
                "pack the labels by `im2rec --pack-label`, or set label_width"
            )
        return labels
