"""`PrefetchingIter`: threads that read the next batch while the current one is in use."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from opforge.io import BatchIter, DataBatch, DataDesc, DataIter

__all__ = ["PrefetchingIter"]

_Names = Sequence[Mapping[str, str]] | None


class PrefetchingIter(BatchIter):
    """Iterator that reads ahead with one thread per source iterator and joins their arrays.

    `next` raises the exception of a source iterator, and the batch after it is read. When the
    object is deleted or the program ends, each thread at most finishes the batch it is reading.

    Parameters
    ----------
    iters : DataIter or list of DataIter
    rename_data, rename_label : list of dict of str to str, optional
        For each iterator, new names of its arrays.

    Examples
    --------
    >>> from opforge import io, nd
    >>> batches = io.PrefetchingIter(
    ...     [io.NDArrayIter(nd.ones((4, 3)), batch_size=2) for _ in range(2)],
    ...     rename_data=[{"data": "left"}, {"data": "right"}],
    ... )
    >>> [name for name, shape in batches.provide_data]
    ['left', 'right']
    >>> len(list(batches))
    2
    """

    def __init__(
        self,
        iters: DataIter | Sequence[DataIter],
        rename_data: _Names = None,
        rename_label: _Names = None,
    ) -> None:
        iters = [iters] if isinstance(iters, DataIter) else list(iters)
        assert iters, "PrefetchingIter: iters must have at least one iterator"
        super().__init__(iters[0].provide_data[0][1][0])
        self.iters = iters
        self.rename_data = rename_data
        self.rename_label = rename_label
        self._executor = ThreadPoolExecutor(len(iters), "opforge-prefetch")
        self._pending: list[Future[DataBatch | None]] = []
        self._read_ahead()

    @property
    def provide_data(self) -> list[DataDesc]:  # type: ignore[override]
        """Names and shapes of the data of all iterators."""
        return _rename_descriptions([one.provide_data for one in self.iters], self.rename_data)

    @property
    def provide_label(self) -> list[DataDesc]:  # type: ignore[override]
        """Names and shapes of the labels of all iterators."""
        return _rename_descriptions([one.provide_label for one in self.iters], self.rename_label)

    def reset(self) -> None:
        """Reset all iterators, after the pending reads have finished."""
        for future in self._pending:
            future.exception()
        for one in self.iters:
            one.reset()
        self._read_ahead()

    def close(self) -> None:
        """Stop reading after the pending reads; the object cannot be used afterwards."""
        self._executor.shutdown(cancel_futures=True)
        self._pending = []

    def iter_next(self) -> bool:
        """Advance to the next batch; return False at the end."""
        for future in self._pending:
            future.exception()  # wait for all of them before an exception is raised
        batches, pending = [], self._pending
        try:
            batches = [future.result() for future in pending]
        except BaseException:
            self._read_ahead()
            raise
        ended = [batch is None for batch in batches]
        pads = {batch.pad for batch in batches if batch is not None}
        assert len(pads) <= 1 and all(ended) == any(ended), (
            "PrefetchingIter: the iterators must have the same number of batches with the same "
            f"padding; got ends {ended} and padding {sorted(pads, key=str)}"
        )
        if all(ended):
            return False
        self.current_batch = self._joined([batch for batch in batches if batch is not None])
        self._read_ahead()
        return True

    def _joined(self, batches: list[DataBatch]) -> DataBatch:
        return DataBatch(
            [array for batch in batches for array in batch.data],
            [array for batch in batches for array in batch.label or ()],
            batches[0].pad,
            batches[0].index,
            bucket_key=batches[0].bucket_key,
            provide_data=self.provide_data,
            provide_label=self.provide_label,
        )

    def _read_ahead(self) -> None:
        self._pending = [self._executor.submit(_next_of, one) for one in self.iters]


def _next_of(data_iter: DataIter) -> DataBatch | None:
    try:
        return data_iter.next()
    except StopIteration:
        return None


def _rename_descriptions(provided: Sequence[Sequence[Any]], names: _Names) -> list[DataDesc]:
    if names is None:
        return [desc for descs in provided for desc in descs]
    return [
        DataDesc(new_names[desc[0]], *desc[1:], *_type_of(desc))
        for descs, new_names in zip(provided, names, strict=True)
        for desc in descs
    ]


def _type_of(desc: Any) -> tuple[Any, ...]:
    return (desc.dtype, desc.layout) if isinstance(desc, DataDesc) else ()
