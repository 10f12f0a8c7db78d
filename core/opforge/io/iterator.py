"""`DataIter`, the base of all data iterators, and `BatchIter`, for those with complete batches."""

from typing import Any

from ..base.errors import OpforgeError
from ..base.integers import as_integer
from ..ndarray import NDArray
from ..profiler.timing import timed
from .batch import DataBatch, DataDesc

__all__ = ["BatchIter", "DataIter", "expect_batch_size"]


class DataIter:
    """Base of all data iterators: a resettable Python iterator over batches.

    A subclass has `provide_data` and `provide_label`, and defines either `next`, or `iter_next`
    with `getdata`, `getlabel`, `getpad` and `getindex`.

    Parameters
    ----------
    batch_size : int, default 0

    Examples
    --------
    >>> from opforge import nd
    >>> class Ones(DataIter):
    ...     provide_data = [DataDesc("data", (2, 3))]
    ...     provide_label = []
    ...     left = 2
    ...     def reset(self):
    ...         self.left = 2
    ...     def iter_next(self):
    ...         self.left -= 1
    ...         return self.left >= 0
    ...     def getdata(self):
    ...         return [nd.ones((2, 3))]
    >>> [str(batch) for batch in Ones(batch_size=2)][0]
    'DataBatch: data shapes: [(2, 3)] label shapes: None'
    """

    #: Names and shapes of the data and the labels of each batch.
    provide_data: list[DataDesc]
    provide_label: list[DataDesc]

    def __init__(self, batch_size: int = 0) -> None:
        self.batch_size = batch_size

    def __iter__(self) -> "DataIter":
        return self

    def __next__(self) -> DataBatch:
        with timed("Data", f"{type(self).__name__}.next"):
            return self.next()

    def reset(self) -> None:
        """Restart from the beginning of the data."""

    def next(self) -> DataBatch:
        """Return the next batch.

        Raises
        ------
        StopIteration
            There are no more batches.
        """
        if not self.iter_next():
            raise StopIteration
        return self._build_batch()

    def _build_batch(self) -> DataBatch:
        return DataBatch(self.getdata(), self.getlabel(), self.getpad(), self.getindex())

    def iter_next(self) -> bool:
        """Advance to the next batch; return False at the end."""
        raise NotImplementedError(f"{type(self).__name__} must define iter_next() or next()")

    def getdata(self) -> list[NDArray]:
        """Return the data of the current batch."""
        raise NotImplementedError(f"{type(self).__name__} must define getdata() or next()")

    def getlabel(self) -> list[NDArray] | None:
        """Return the labels of the current batch."""
        return None

    def getpad(self) -> int | None:
        """Return the number of samples that only pad the current batch."""
        return None

    def getindex(self) -> Any:
        """Return the source positions of the current batch's samples, if known."""
        return None


def expect_batch_size(name: str, batch_size: int) -> int:
    """Return `batch_size` if it is positive; empty batches would never reach the end of the data.

    Raises
    ------
    ValueError
        It is less than 1; the message starts with `name`.
    """
    size = as_integer(batch_size, f"batch_size of {name}")
    if size < 1:
        raise ValueError(f"{name}: got batch_size={batch_size}, expected at least 1")
    return size


class BatchIter(DataIter):
    """Base of iterators whose `iter_next` stores a complete batch in `current_batch`."""

    current_batch: DataBatch | None = None

    def getdata(self) -> list[NDArray]:
        """Return the data of the current batch."""
        return self._current().data

    def getlabel(self) -> list[NDArray] | None:
        """Return the labels of the current batch."""
        return self._current().label

    def getpad(self) -> int | None:
        """Return the number of samples that only pad the current batch."""
        return self._current().pad

    def getindex(self) -> Any:
        """Return the source positions of the current batch's samples, if known."""
        return self._current().index

    def _build_batch(self) -> DataBatch:
        return self._current()

    def _current(self) -> DataBatch:
        if self.current_batch is None:
            raise OpforgeError(
                f"{type(self).__name__} has no current batch; call iter_next() or next() first"
            )
        return self.current_batch
