"""`ResizeIter`: an iterator with a different number of batches per epoch."""

from typing import Any

from opforge.io import BatchIter, DataIter

__all__ = ["ResizeIter"]


class ResizeIter(BatchIter):
    """Iterator of `size` batches per epoch that restarts the data when they are exhausted.

    Parameters
    ----------
    data_iter : DataIter
    size : int
        Batches per epoch.
    reset_internal : bool, default True
        Also reset `data_iter` in `reset`; otherwise an epoch continues where the last one ended.

    Examples
    --------
    >>> from opforge import io, nd
    >>> batches = io.ResizeIter(io.NDArrayIter(nd.arange(4), batch_size=2), 3)
    >>> [batch.data[0].asnumpy().tolist() for batch in batches]
    [[0.0, 1.0], [2.0, 3.0], [0.0, 1.0]]
    """

    def __init__(self, data_iter: DataIter, size: int, reset_internal: bool = True) -> None:
        super().__init__(data_iter.batch_size)
        self.data_iter = data_iter
        self.size = size
        self.reset_internal = reset_internal
        self.cur = 0
        self.provide_data = data_iter.provide_data
        self.provide_label = data_iter.provide_label
        if hasattr(data_iter, "default_bucket_key"):
            self.default_bucket_key: Any = data_iter.default_bucket_key

    def reset(self) -> None:
        """Restart counting, and reset `data_iter` if `reset_internal`."""
        self.cur = 0
        if self.reset_internal:
            self.data_iter.reset()

    def iter_next(self) -> bool:
        """Advance to the next batch; return False at the end."""
        if self.cur == self.size:
            return False
        try:
            self.current_batch = self.data_iter.next()
        except StopIteration:
            self.data_iter.reset()
            self.current_batch = self.data_iter.next()
        self.cur += 1
        return True
