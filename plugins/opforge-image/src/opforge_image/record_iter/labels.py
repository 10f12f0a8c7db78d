"""Labels of records, from their headers or from a list written by `im2rec`."""

import os

import numpy as np

from opforge.plugin_api import OpforgeError, ShapeError

from ..lists import read_list
from ..recordio.header import HEADER
from ..recordio.reading import label_counts

__all__ = ["LabelSource"]


class LabelSource:
    """Labels of each record.

    Parameters
    ----------
    width : int
        Number of labels per record; negative: any number.
    path : path-like
        List of labels by record identifier; empty: use the headers of the records.
    """

    def __init__(self, width: int, path: str | os.PathLike[str] = "") -> None:
        self._width = width
        self._path = os.fspath(path)
        self._labels = (
            {number: labels for number, labels, _ in read_list(path)} if self._path else None
        )

    def widest(self, path: str | os.PathLike[str], offsets: np.ndarray) -> int:
        """Return the maximum number of labels in the list, or in the records of a file.

        Parameters
        ----------
        path : path-like
        offsets : numpy.ndarray
            Offsets of its records.
        """
        if self._labels is not None:
            return max(map(len, self._labels.values()), default=0)
        return max(label_counts(path, offsets), default=0)

    def __call__(self, header: HEADER) -> np.ndarray:
        """Return the labels of the record with this header.

        Raises
        ------
        ShapeError
            The record has another number of labels.
        OpforgeError
            The list has no line for it.
        """
        if self._labels is None:
            labels = np.atleast_1d(np.asarray(header.label, np.float32))
        elif header.id in self._labels:
            labels = np.asarray(self._labels[header.id], np.float32)
        else:
            raise OpforgeError(f"record {header.id} has no line in {self._path}")
        if len(labels) != self._width >= 0:
            raise ShapeError(
                f"record {header.id} has {len(labels)} labels; expected label_width={self._width}; "
                "pack the labels with `im2rec --pack-label`, or change label_width"
            )
        return labels
