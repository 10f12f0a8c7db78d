"""Iterator without loading cost, to benchmark its consumers, under MXNet's name."""

from opforge.io import DataBatch, DataIter

__all__ = ["DummyIter"]


class DummyIter(DataIter):
    """Endless iterator that repeats the first batch of another iterator.

    Parameters
    ----------
    real_iter : DataIter
    """

    def __init__(self, real_iter: DataIter) -> None:
        super().__init__(real_iter.batch_size)
        self.real_iter = real_iter
        self.provide_data = real_iter.provide_data
        self.provide_label = real_iter.provide_label
        self.the_batch = next(real_iter)

    def next(self) -> DataBatch:
        """Return the batch."""
        return self.the_batch
