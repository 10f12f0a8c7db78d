"""`RowBatches`: batches of rows in memory, with MXNet's options for padding the last one."""

from typing import Any

import numpy as np

from opforge.io.batch import DataBatch
from opforge.io.iterator import BatchIter, expect_batch_size
from opforge.ndarray import NDArray

__all__ = ["RowBatches"]


class RowBatches(BatchIter):
    """Base of iterators over rows read from files.

    Parameters
    ----------
    batch_size : int
    round_batch : bool
        Pad the last batch with the first rows and start the next epoch after them. If False, pad it
        with rows of the previous batch and start each epoch at the first row.

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
        """Return the number of rows, at least one."""
        raise NotImplementedError(f"{type(self).__name__} must define _count()")

    def _batch_at(self, rows: np.ndarray[Any, Any]) -> tuple[NDArray, NDArray]:
        """Return the data and the labels of the rows at the given indices."""
        raise NotImplementedError(f"{type(self).__name__} must define _batch_at()")

    def reset(self) -> None:
        """Return to the first row, or with `round_batch` to the first row not used yet."""
        count = self._count()
        # A batch may use all rows several times.
        self._start = max(self._start - count, 0) % count if self._round_batch else 0

    def iter_next(self) -> bool:
        """Advance to the next batch; return False at the end."""
        count = self._count()
        start, stop = self._start, self._start + self.batch_size
        if start >= count:
            return False
        pad = max(stop - count, 0)
        rows = np.arange(start, stop) % count
        if pad and not self._round_batch:
            rows[-pad:] = self._rows[-pad:]
        data, label = self._batch_at(rows)
        self.current_batch = DataBatch([data], [label], pad, rows)
        self._start, self._rows = stop, rows
        return True

    def getdata(self) -> Any:
        """Return the data of the current batch as one array, like MXNet's file iterators."""
        return self._current().data[0]

    def getlabel(self) -> Any:
        """Return the labels of the current batch as one array."""
        labels = self._current().label
        assert labels is not None
        return labels[0]
