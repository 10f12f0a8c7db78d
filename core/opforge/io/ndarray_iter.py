"""`NDArrayIter`: batches of arrays in memory."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import ndarray as nd
from ..base.errors import ShapeError
from ..native.array import Array
from ..ndarray import NDArray
from .batch import DataBatch, DataDesc
from .iterator import DataIter, expect_batch_size

__all__ = ["NDArrayIter"]

#: Arrays with their names, in batch order.
_Source = list[tuple[str, NDArray]]

_LAST_BATCH = ("pad", "discard", "roll_over")


class NDArrayIter(DataIter):
    """Batches of arrays.

    Parameters
    ----------
    data : NDArray, numpy.ndarray, list of them, or dict of str to them
        NumPy arrays become float32. The keys of a dict are the names, sorted; a single array is
        named `data_name`, those of a longer list ``_0_data``, ``_1_data``, etc.
    label : the same, optional
        Named after `label_name`.
    batch_size : int, default 1
    shuffle : bool, default False
        Shuffle now and at each reset, with NumPy's global generator.
    last_batch_handle : {"pad", "discard", "roll_over"}
        Treatment of the samples that do not fill a batch: pad with the first samples, drop them, or
        keep them for the first batch after the reset.
    data_name, label_name : str, default "data" and "softmax_label"
    layout : str, default "NCHW"
        ``N`` is the axis along which the arrays are split into batches.

    Raises
    ------
    TypeError
        `data` or `label` has none of these types.
    ShapeError
        An array has fewer samples than the first data array; extra samples of longer arrays are
        unused.
    ValueError
        `last_batch_handle` is unknown, or `batch_size` is less than 1.

    Examples
    --------
    >>> import numpy as np
    >>> from opforge.io import NDArrayIter
    >>> for batch in NDArrayIter(np.arange(5), label=np.arange(5) * 10, batch_size=2):
    ...     print(batch.data[0].asnumpy(), batch.label[0].asnumpy(), batch.pad)
    [0. 1.] [ 0. 10.] 0
    [2. 3.] [20. 30.] 0
    [4. 0.] [40.  0.] 1
    """

    def __init__(
        self,
        data: Any,
        label: Any = None,
        batch_size: int = 1,
        shuffle: bool = False,
        last_batch_handle: str = "pad",
        data_name: str = "data",
        label_name: str = "softmax_label",
        layout: str = "NCHW",
    ) -> None:
        super().__init__(expect_batch_size("NDArrayIter", batch_size))
        if last_batch_handle not in _LAST_BATCH:
            raise ValueError(
                f"NDArrayIter: got last_batch_handle={last_batch_handle!r}, expected one of "
                f"{', '.join(_LAST_BATCH)}"
            )
        self.data = _name_arrays(data, data_name)
        self.label = [] if label is None else _name_arrays(label, label_name, may_be_empty=True)
        if last_batch_handle != "discard":
            self._reject_csr(last_batch_handle)
        self.shuffle = shuffle
        self.last_batch_handle = last_batch_handle
        self.layout = layout
        self._axis = DataDesc.get_batch_axis(layout)
        self.num_data = self._count_samples()
        self.idx = np.arange(self.num_data)
        self.cursor = -batch_size
        # With "roll_over": the leftover samples of the previous epoch, of data and of labels.
        self._kept: tuple[list[NDArray], list[NDArray]] = ([], [])
        self.reset()  # subclasses that do not shuffle override it

    def _reject_csr(self, last_batch_handle: str) -> None:
        for name, array in self.data + self.label:
            if array.stype == "csr":
                raise NotImplementedError(
                    "`NDArrayIter` only supports ``CSRNDArray`` with `last_batch_handle` set to "
                    f"`discard`; {name!r} is a csr matrix and last_batch_handle is "
                    f"{last_batch_handle!r}. Pass last_batch_handle='discard'."
                )

    def _count_samples(self) -> int:
        """Return the number of samples in the first data array; longer arrays are cut to it."""
        counts = {name: array.shape[self._axis] for name, array in self.data + self.label}
        first = self.data[0][0]
        if min(counts.values()) < counts[first]:
            raise ShapeError(
                f"NDArrayIter: all arrays must have at least as many samples along axis "
                f"{self._axis} as {first!r}, got {counts}"
            )
        return counts[first]

    @property
    def provide_data(self) -> list[DataDesc]:  # type: ignore[override]
        """Names and shapes of the data of each batch."""
        return [self._describe(name, array) for name, array in self.data]

    @property
    def provide_label(self) -> list[DataDesc]:  # type: ignore[override]
        """Names and shapes of the labels of each batch."""
        return [self._describe(name, array) for name, array in self.label]

    @property
    def data_list(self) -> list[NDArray]:
        """Arrays of the data, followed by those of the labels; what is written to them is used."""
        return [array for _, array in self.data + self.label]

    def _describe(self, name: str, array: NDArray) -> DataDesc:
        shape = list(array.shape)
        shape[self._axis] = self.batch_size
        return DataDesc(name, tuple(shape), array.dtype, self.layout)

    def hard_reset(self) -> None:
        """Restart from the beginning and drop samples kept for the first batch."""
        if self.shuffle:
            self._shuffle()
        self.cursor = -self.batch_size
        self._kept = ([], [])

    def reset(self) -> None:
        """Restart from the beginning of the data."""
        kept: tuple[list[NDArray], list[NDArray]] = ([], [])
        start = -self.batch_size
        if self.last_batch_handle == "roll_over" and self._is_short and self.cursor < self.num_data:
            kept = self.getdata(), self.getlabel()
            start += self.cursor - self.num_data
        if self.shuffle:
            self._shuffle()
        self._kept, self.cursor = kept, start

    def _shuffle(self) -> None:
        np.random.shuffle(self.idx)
        order = nd.array(self.idx, dtype="int64")
        self.data = [(name, nd.take(a, order, axis=self._axis)) for name, a in self.data]
        self.label = [(name, nd.take(a, order, axis=self._axis)) for name, a in self.label]

    def iter_next(self) -> bool:
        """Advance to the next batch, possibly a short one; return False at the end."""
        self.cursor += self.batch_size
        return self.cursor < self.num_data

    def next(self) -> DataBatch:
        """Return the next batch.

        Raises
        ------
        StopIteration
            There are no more batches, or only a short one that must not be padded.
        """
        if not self.iter_next() or (self.last_batch_handle != "pad" and self._is_short):
            raise StopIteration
        return DataBatch(self.getdata(), self.getlabel(), self.getpad())

    @property
    def _is_short(self) -> bool:
        """True if the data end within the current batch."""
        return self.cursor + self.batch_size > self.num_data

    def getdata(self) -> list[NDArray]:
        """Return the data of the current batch."""
        return self._batch(self.data, self._kept[0])

    def getlabel(self) -> list[NDArray]:
        """Return the labels of the current batch."""
        return self._batch(self.label, self._kept[1])

    def getpad(self) -> int:
        """Return the number of samples taken from the other end of the data.

        It is 0 before the first batch.
        """
        if self.cursor <= -self.batch_size:
            return 0
        stop = self.cursor + self.batch_size
        if self.last_batch_handle == "pad" and stop > self.num_data:
            return stop - self.num_data
        return max(-self.cursor, 0)

    def _batch(self, source: _Source, kept: list[NDArray]) -> list[NDArray]:
        assert -self.batch_size < self.cursor < self.num_data, (
            "NDArrayIter: there is no current batch; call iter_next() or next(), or reset() after "
            "the last batch"
        )
        stop = self.cursor + self.batch_size
        ranges = [(max(self.cursor, 0), min(stop, self.num_data))]
        while self.last_batch_handle == "pad" and stop > self.num_data:
            stop -= self.num_data
            ranges.append((0, min(stop, self.num_data)))
        batch = []
        for position, (_, array) in enumerate(source):
            parts = [] if self.cursor >= 0 else [kept[position]]
            for begin, end in ranges:
                parts.append(self._part(array, begin, end))
            batch.append(parts[0] if len(parts) == 1 else nd.concat(*parts, dim=self._axis))
        return batch

    def _part(self, array: Any, begin: int, end: int) -> Any:
        if self._axis:
            return nd.slice_axis(array, axis=self._axis, begin=begin, end=end)
        part = array[begin:end]
        # The caller may write to a batch; a csr matrix is sliced as a copy.
        return nd.identity(part) if isinstance(part, Array) else part


def _name_arrays(arrays: Any, default_name: str, may_be_empty: bool = False) -> _Source:
    """Return arrays with names, sorted by name."""
    if isinstance(arrays, np.ndarray | NDArray):
        arrays = [arrays]
    if isinstance(arrays, list | tuple):
        names = [default_name]
        if len(arrays) != 1:
            names = [f"_{index}_{default_name}" for index in range(len(arrays))]
        arrays = dict(zip(names, arrays, strict=True))
    if not isinstance(arrays, Mapping):
        raise TypeError(
            f"NDArrayIter: {default_name} must be an NDArray, a numpy.ndarray, a list of them or "
            f"a dict with them as values, got {type(arrays).__name__}"
        )
    assert arrays or may_be_empty, f"NDArrayIter: {default_name} must have at least one array"
    return sorted((name, _as_array(name, array)) for name, array in arrays.items())


def _as_array(name: str, values: Any) -> NDArray:
    if isinstance(values, NDArray):
        return values
    try:
        return nd.array(values)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"NDArrayIter: {name} must be an NDArray or a numpy.ndarray, got "
            f"{type(values).__name__}"
        ) from error
