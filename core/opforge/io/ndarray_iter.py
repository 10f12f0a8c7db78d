"""`NDArrayIter`: batches of arrays that are in memory."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import ndarray as nd
from ..base.errors import ShapeError
from ..ndarray import NDArray
from .batch import DataBatch, DataDesc
from .iterator import DataIter, expect_batch_size

__all__ = ["NDArrayIter"]

#: Arrays with their names, in the order in which a batch has them.
_Source = list[tuple[str, NDArray]]

_LAST_BATCH = ("pad", "discard", "roll_over")


class NDArrayIter(DataIter):
    """Batches of arrays.

    Parameters
    ----------
    data : NDArray, numpy.ndarray, list of them, or dict of str to them
        NumPy arrays become float32. A dict gives its keys as names, sorted; of a list of one the
        array is named `data_name`, of several ``_0_data``, ``_1_data``, and so on.
    label : the same, optional
        With `label_name` for `data_name`.
    batch_size : int, default 1
    shuffle : bool, default False
        Shuffle now and at each reset, with NumPy's global generator.
    last_batch_handle : {"pad", "discard", "roll_over"}
        What becomes of the samples that do not fill a batch: filled up with the first ones, left
        out, or kept for the first batch after the reset.
    data_name, label_name : str, default "data" and "softmax_label"
    layout : str, default "NCHW"
        ``N`` is the axis along which the arrays are cut.

    Raises
    ------
    TypeError
        `data` or `label` is none of these.
    ShapeError
        An array has fewer samples than the first data array; of longer ones the rest is unused.
    ValueError
        `last_batch_handle` is unknown, or `batch_size` is less than 1.

    Examples
    --------
    >>> import numpy as np
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
        self.data = _named(data, data_name)
        self.label = [] if label is None else _named(label, label_name, may_be_empty=True)
        if last_batch_handle != "discard":
            self._reject_csr(last_batch_handle)
        self.shuffle = shuffle
        self.last_batch_handle = last_batch_handle
        self.layout = layout
        self._axis = DataDesc.get_batch_axis(layout)
        self.num_data = self._count_samples()
        self.idx = np.arange(self.num_data)
        self.cursor = -batch_size
        # With "roll_over": the last samples of the epoch before, of data and of labels.
        self._kept: tuple[list[NDArray], list[NDArray]] = ([], [])
        self.hard_reset()

    def _reject_csr(self, last_batch_handle: str) -> None:
        for name, array in self.data + self.label:
            if array.stype == "csr":
                raise NotImplementedError(
                    "`NDArrayIter` only supports ``CSRNDArray`` with `last_batch_handle` set to "
                    f"`discard`; {name!r} is a csr matrix and last_batch_handle is "
                    f"{last_batch_handle!r}. Pass last_batch_handle='discard'."
                )

    def _count_samples(self) -> int:
        """Return how many samples the first data array has; of longer arrays the rest is unused."""
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

    def _describe(self, name: str, array: NDArray) -> DataDesc:
        shape = list(array.shape)
        shape[self._axis] = self.batch_size
        return DataDesc(name, tuple(shape), array.dtype, self.layout)

    def hard_reset(self) -> None:
        """Go back to the beginning and forget samples that were kept for the first batch."""
        if self.shuffle:
            self._shuffle()
        self.cursor = -self.batch_size
        self._kept = ([], [])

    def reset(self) -> None:
        """Go back to the beginning."""
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
        """Go to the next batch; return whether there is one, maybe a short one."""
        self.cursor += self.batch_size
        return self.cursor < self.num_data

    def next(self) -> DataBatch:
        """Return the next batch.

        Raises
        ------
        StopIteration
            There is none, or only a short one that is not to be filled up.
        """
        if not self.iter_next() or (self._is_short and self.last_batch_handle != "pad"):
            raise StopIteration
        return DataBatch(self.getdata(), self.getlabel(), self.getpad())

    @property
    def _is_short(self) -> bool:
        """Return whether the data end within the current batch."""
        return self.cursor + self.batch_size > self.num_data

    def getdata(self) -> list[NDArray]:
        """Return the data of the current batch."""
        return self._batch(self.data, self._kept[0])

    def getlabel(self) -> list[NDArray]:
        """Return the labels of the current batch."""
        return self._batch(self.label, self._kept[1])

    def getpad(self) -> int:
        """Return how many samples come from the other end of the data."""
        if self.last_batch_handle == "pad" and self._is_short:
            return self.cursor + self.batch_size - self.num_data
        return max(-self.cursor, 0)

    def _batch(self, source: _Source, kept: list[NDArray]) -> list[NDArray]:
        assert -self.batch_size < self.cursor < self.num_data, (
            "NDArrayIter: there is no current batch; call iter_next() or next(), after the last "
            "one reset()"
        )
        stop = self.cursor + self.batch_size
        ranges = [(max(self.cursor, 0), min(stop, self.num_data))]
        while self.last_batch_handle == "pad" and stop > self.num_data:
            stop -= self.num_data
            ranges.append((0, min(stop, self.num_data)))
        parts = [[self._part(array, begin, end) for begin, end in ranges] for _, array in source]
        if self.cursor < 0:
            parts = [[before, *after] for before, after in zip(kept, parts, strict=True)]
        return [nd.concat(*some, dim=self._axis) if len(some) > 1 else some[0] for some in parts]

    def _part(self, array: Any, begin: int, end: int) -> Any:
        if self._axis == 0 and array.stype == "csr":
            return array[begin:end]  # stays a csr matrix
        return nd.slice_axis(array, axis=self._axis, begin=begin, end=end)


def _named(arrays: Any, default_name: str, may_be_empty: bool = False) -> _Source:
    """Return arrays with names, sorted by name."""
    if isinstance(arrays, np.ndarray | NDArray):
        arrays = [arrays]
    if isinstance(arrays, list | tuple):
        names = [default_name]
        if len(arrays) != 1:
            names = [f"_{place}_{default_name}" for place in range(len(arrays))]
        arrays = dict(zip(names, arrays, strict=True))
    if not isinstance(arrays, Mapping):
        raise TypeError(
            f"NDArrayIter: {default_name} must be an NDArray, a numpy.ndarray, a list of them or "
            f"a dict with them as values, got {type(arrays).__name__}"
        )
    assert arrays or may_be_empty, f"NDArrayIter: {default_name} must hold at least one array"
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
