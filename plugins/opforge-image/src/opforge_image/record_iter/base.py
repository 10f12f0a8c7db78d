"""Base class of record iterators, whose batches are filled ahead of use by threads."""

import os
import warnings
from collections.abc import Callable, Iterator
from random import Random

import numpy as np

from opforge.plugin_api import AttributeValueError, BatchIter, DataBatch, DataDesc, F, OpforgeError

from ..recordio.header import HEADER
from ..recordio.indexed import read_index
from ..recordio.reading import RecordFile, scan_offsets
from .batch_filling import BatchFiller, Failure, PendingBatch
from .order import Epoch, Order
from .prefetching import Prefetcher
from .reading import Reading

__all__ = ["RecordIter", "record_offsets"]


class RecordIter(BatchIter):
    """Base class of iterators over record files.

    Parameters
    ----------
    reading : Reading
    offsets : numpy.ndarray
        Offset of each record, as returned by `record_offsets`.
    label_shape : tuple of int
        Shape of the labels of one record.
    process : callable
        ``process(image, header, data, label, rng)`` writes the input of the network to `data`, a
        row of the batch, and to `label`, a flat row of the labels.
    """

    def __init__(
        self,
        reading: Reading,
        offsets: np.ndarray,
        label_shape: tuple[int, ...],
        process: Callable[[np.ndarray, HEADER, np.ndarray, np.ndarray, Random], None],
    ) -> None:
        super().__init__(reading.batch_size)
        owner = type(self).__name__
        try:
            self._order = Order(
                len(offsets),
                reading.batch_size,
                reading.num_parts,
                reading.part_index,
                shuffle=reading.shuffle,
                seed=reading.seed,
                round_batch=reading.round_batch,
            )
        except AttributeValueError as error:
            raise AttributeValueError(f"{owner}: {reading.path_imgrec}: {error}") from None
        shape = (reading.batch_size, *reading.data_shape)
        labels = (reading.batch_size, *label_shape)
        self.provide_data = [DataDesc(reading.data_name, shape, reading.element_type.type)]
        self.provide_label = [DataDesc(reading.label_name, labels)]
        repeats = reading.seed_aug is not None
        filler = BatchFiller(
            owner,
            RecordFile(reading.path_imgrec),
            offsets,
            process,
            int(reading.seed_aug if reading.seed_aug is not None else reading.seed),
            repeats,
        )
        self._prefetcher: Prefetcher[PendingBatch] = Prefetcher(
            filler, reading.batch_size, reading.threads, reading.prefetch_buffer
        )
        self._left = 0  # batches of the epoch that were not returned yet
        self._begin(None)

    def reset(self) -> None:
        """Start the next epoch; do nothing if the current one has not started.

        After the last batch, the next epoch starts after the records that filled that batch;
        otherwise it starts with the first record of a pass.
        """
        if self._left < len(self._epoch.rows):
            self._begin(None if self._left else self._epoch)

    def close(self) -> None:
        """Stop decoding and wait for running tasks. The iterator cannot be used afterwards."""
        self._prefetcher.close()

    def iter_next(self) -> bool:
        """Advance to the next batch and return whether it exists.

        Records that are damaged or hold no image are skipped with a warning; the other rows of
        their batch move up, and its end is padding.

        Raises
        ------
        OpforgeError
            No record of the batch holds an image, or an image does not fit the settings.
        """
        self.current_batch = None
        # Before raising, so that the next call returns the following batch.
        self._left = max(self._left - 1, 0)
        result = self._prefetcher.next()
        if result is None:
            return False
        batch, failures = result
        data, label = batch.result
        pad = 0 if self._left else self._epoch.pad
        if failures:
            pad = _close_gaps(batch, failures, pad)
        self.current_batch = DataBatch([data], [label], pad, batch.identifiers)
        return True

    def _begin(self, previous: Epoch | None) -> None:
        self._epoch = self._order.epoch(previous)
        self._left = len(self._epoch.rows)
        self._prefetcher.start(self._pending_batches(self._epoch))

    def _pending_batches(self, epoch: Epoch) -> Iterator[PendingBatch]:
        data, label = self.provide_data[0], self.provide_label[0]
        for number, records in enumerate(epoch.rows):
            result = F.empty(data.shape, dtype=data.dtype), F.empty(label.shape)
            yield PendingBatch(
                epoch.number,
                number * self.batch_size,
                records,
                np.asarray(result[0]),
                np.asarray(result[1]).reshape(self.batch_size, -1),
                np.zeros(self.batch_size, np.uint64),
                result,
            )


def record_offsets(reading: Reading) -> np.ndarray:
    """Return the offset of each record of a file, from its index if there is one.

    Raises
    ------
    AttributeValueError
        The file or its index has no records.
    """
    index, path = reading.path_imgidx, reading.path_imgrec
    found = (offset for _, offset in read_index(index)) if index else scan_offsets(path)
    offsets = np.array(list(found), np.int64)
    if not len(offsets):
        raise AttributeValueError(
            f"{os.fspath(index or path)} has no records; create record files with im2rec"
        )
    return offsets


def _close_gaps(batch: PendingBatch, failures: list[Failure], pad: int) -> int:
    """Move rows up over failed ones and return the number of padding rows at the end."""
    rows = len(batch.data)
    failed = {failure.row for failure in failures}
    for failure in failures:
        if failure.row < rows - pad:
            warnings.warn(f"{failure.reason}; the record is skipped", RuntimeWarning, stacklevel=4)
    valid = [row for row in range(rows) if row not in failed]
    if not valid:
        raise OpforgeError(f"no record of a batch holds an image: {failures[0].reason}")
    kept = sum(row < rows - pad for row in valid)
    order = np.resize(valid, rows)
    for array in (batch.data, batch.label, batch.identifiers):
        array[...] = array[order]
    return rows - kept
