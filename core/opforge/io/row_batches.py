"""`RowBatches`: batches of rows that are in memory, with MXNet's ways to fill the last one up."""

from typing import Any

import numpy as np

from ..ndarray import NDArray
from .batch import DataBatch
from .iterator import BatchIter, expect_batch_size

__all__ = ["RowBatches"]


class RowBatches(BatchIter):
    """Base of iterators over rows that were read from files.

    Parameters
    ----------
    batch_size : int
    round_batch : bool
        Fill the last batch up with the first rows, and begin behind them after the reset. If
        False, the rows of the batch before stand there, and each epoch begins with the first row.

    Raises
    ------
    ValueError
        `batch_size` is less than 1.
    """

    def __init__(self, batch_size: int, round_batch: bool) -> None:
        super().__init__(expect_batch_size(type(self).__name__, batch_size))
        self._round_batch = round_batch
        self._start = 0
        self._rows = np.zeros(batch_size, np.int64)

    def _count(self) -> int:
        """Return how many rows there are, at least one."""
        raise NotImplementedError(f"{type(self).__name__} must define _count()")

    def _taken(self, rows: np.ndarray[Any, Any]) -> tuple[NDArray, NDArray]:
        """Return the data and the labels of the rows with these numbers."""
        raise NotImplementedError(f"{type(self).__name__} must define _taken()")

    def reset(self) -> None:
        """Go back to the first row, or with `round_batch` to the first that was not used yet."""
        self._start = max(self._start - self._count(), 0) if self._round_batch else 0

    def iter_next(self) -> bool:
        """Go to the next batch; return whether there is one."""
        count = self._count()
        start, stop = self._start, self._start + self.batch_size
        if start >= count:
            return False
        pad = max(stop - count, 0)
        rows = np.arange(start, stop) % count
        if pad and not self._round_batch:
            rows[-pad:] = self._rows[-pad:]
        data, label = self._taken(rows)
        self.current_batch = DataBatch([data], [label], pad, rows)
        self._start, self._rows = stop, rows
        return True

    def getdata(self) -> Any:
        """Return the data of the current batch, one array, as MXNet's own iterators do."""
        return self._current().data[0]

    def getlabel(self) -> Any:
        """Return the labels of the current batch, one array."""
        labels = self._current().label
        assert labels is not None
        return labels[0]
