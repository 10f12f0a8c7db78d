"""Examples for calibration: iterators of batches, and other iterables such as a DataLoader."""

from typing import Any

from opforge.plugin_api import DataBatch, DataDesc, DataIter

__all__ = ["DataIterWrapper", "as_data_iter"]


def _merge_axes(array: Any) -> Any:
    """Return an array with the first two of more than four axes merged."""
    return array.reshape((-1, *array.shape[2:])) if len(array.shape) > 4 else array


class DataIterWrapper(DataIter):
    """Batches of an iterable.

    Items are arrays, or lists of data and labels. With three and more, inputs are named ``data0``,
    ``data1`` and so on, otherwise the first is ``data``.

    Parameters
    ----------
    calib_data : iterable of NDArray, or of list of NDArray
    """

    def __init__(self, calib_data: Any) -> None:
        self._data = calib_data
        try:
            example = next(iter(calib_data))
        except TypeError as error:
            raise TypeError(f"calib_data is not a valid iterator. {error}") from None
        arrays = self._arrays(example)
        super().__init__(arrays[0].shape[0])
        names = ["data", *[f"data{i}" for i in range(len(arrays) - 1)]]
        if len(arrays) >= 3:
            names = [f"data{i}" for i in range(len(arrays))]
        #: Names and shapes of the arrays of a batch, labels included.
        self.provide_data = [DataDesc(n, a.shape) for n, a in zip(names, arrays, strict=True)]
        self.provide_label: list[Any] = []
        self.reset()

    @staticmethod
    def _arrays(item: Any) -> list[Any]:
        arrays = list(item) if isinstance(item, (list, tuple)) else [item]
        return [_merge_axes(arrays[0]), *arrays[1:]]

    def reset(self) -> None:
        """Start again."""
        self._iter = iter(self._data)

    def next(self) -> Any:
        """Return the next batch."""
        return DataBatch(self._arrays(next(self._iter)))


def as_data_iter(calib_data: Any) -> tuple[Any, Any]:
    """Return an iterator of batches, and the names and shapes of its arrays."""
    found = calib_data if isinstance(calib_data, DataIter) else DataIterWrapper(calib_data)
    return found, found.provide_data
