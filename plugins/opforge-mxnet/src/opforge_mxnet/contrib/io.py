"""`DataLoaderIter`: batches of Gluon's `DataLoader` for modules."""

from typing import Any

from opforge import ndarray as nd
from opforge.io import DataDesc, DataIter
from opforge.ndarray import NDArray

__all__ = ["DataLoaderIter"]


class DataLoaderIter(DataIter):
    """Iterator for modules over the batches of a `gluon.data.DataLoader`.

    The first batch has the batch size; smaller ones are padded with zeros.

    Parameters
    ----------
    loader : gluon.data.DataLoader
        Its batches are pairs of data and labels.
    data_name : str, default "data"
    label_name : str, default "softmax_label"
    dtype : str, default "float32"
        Type of data and labels.

    Examples
    --------
    >>> import opforge as mx
    >>> data = mx.gluon.data.ArrayDataset(mx.nd.ones((3, 4)), mx.nd.arange(3))
    >>> batches = mx.contrib.io.DataLoaderIter(mx.gluon.data.DataLoader(data, batch_size=2))
    >>> [(batch.data[0].shape, batch.pad) for batch in batches]
    [((2, 4), 0), ((2, 4), 1)]
    """

    def __init__(
        self,
        loader: Any,
        data_name: str = "data",
        label_name: str = "softmax_label",
        dtype: Any = "float32",
    ) -> None:
        data, label = next(iter(loader))
        super().__init__(data.shape[0])
        self._loader = loader
        self.dtype = dtype
        self.provide_data = [DataDesc(data_name, data.shape, dtype)]
        self.provide_label = [DataDesc(label_name, label.shape, dtype)]
        self._current_batch: Any = None
        self.reset()

    def reset(self) -> None:
        """Begin an epoch."""
        self._iter = iter(self._loader)

    def iter_next(self) -> bool:
        """Load the next batch; return False at the end of the epoch."""
        self._current_batch = next(self._iter, None)
        return self._current_batch is not None

    def getdata(self) -> list[NDArray]:
        """Return the data of the current batch."""
        return [self._pad(self._current_batch[0])]

    def getlabel(self) -> list[NDArray]:
        """Return the labels of the current batch."""
        return [self._pad(self._current_batch[1])]

    def getpad(self) -> int:
        """Return the number of samples that the current batch lacks."""
        return int(self.batch_size - self._current_batch[0].shape[0])

    def getindex(self) -> None:
        """Return None: a loader does not report indices."""

    def _pad(self, array: NDArray) -> NDArray:
        array = array.astype(self.dtype)
        if not self.getpad():
            return array
        padding = nd.zeros((self.getpad(), *array.shape[1:]), dtype=self.dtype, ctx=array.context)
        return nd.concat(array, padding, dim=0)
