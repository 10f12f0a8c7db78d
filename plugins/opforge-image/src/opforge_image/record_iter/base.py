"""Base of record iterators: epochs of batches that threads fill ahead of use."""

import os
import warnings
from collections.abc import Callable, Iterator
from random import Random

import numpy as np

from opforge.plugin_api import AttributeValueError, BatchIter, DataBatch, DataDesc, F, OpforgeError

from ..recordio.header import HEADER
from ..recordio.indexed import read_index
from ..recordio.reading import RecordFile, offsets
from .batch_filling import Draft, Failure, Filler
from .order import Epoch, Order
from .prefetching import Ahead
from .reading import Reading

__all__ = ["RecordIter", "record_offsets"]


class RecordIter(BatchIter):
    """Base of iterators over record files.

    Parameters
    ----------
    reading : Reading
    places : numpy.ndarray
        Where each record begins, as `record_offsets` tells.
    label_shape : tuple of int
        Of one record.
    process : callable
        ``process(image, header, data, label, rng)`` writes what the network sees into a row of
        `data` and one of `label`, which is flat.
    """

    def __init__(
        self,
        reading: Reading,
        places: np.ndarray,
        label_shape: tuple[int, ...],
        process: Callable[[np.ndarray, HEADER, np.ndarray, np.ndarray, Random], None],
    ) -> None:
        super().__init__(reading.batch_size)
        owner = type(self).__name__
        try:
            self._order = Order(
                len(places),
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
        filler = Filler(
            owner,
            RecordFile(reading.path_imgrec),
            places,
            process,
            int(reading.seed_aug if reading.seed_aug is not None else reading.seed),
            repeats,
        )
        self._ahead: Ahead[Draft] = Ahead(
            filler, reading.batch_size, reading.threads, reading.prefetch_buffer
        )
        self._left = 0  # batches of the epoch that were not handed out
        self._begin(None)

    def reset(self) -> None:
        """Begin the next epoch; nothing happens where the current one has not begun.

        After the last batch the next epoch begins behind what filled that batch up; before it, with
        the first record of a pass.
        """
        if self._left < len(self._epoch.rows):
            self._begin(None if self._left else self._epoch)

    def close(self) -> None:
        """Stop decoding; wait for what is being decoded. The object is of no use afterwards."""
        self._ahead.close()

    def iter_next(self) -> bool:
        """Go to the next batch; return whether there is one.

        Records that are damaged, or hold no image, are named by a warning; the rest of their
        batch moves up, and its end is padding.

        Raises
        ------
        OpforgeError
            No record of the batch holds an image, or one does not fit the settings.
        """
        self.current_batch = None
        # Before anything is raised: what comes after it is the batch behind.
        self._left = max(self._left - 1, 0)
        found = self._ahead.next()
        if found is None:
            return False
        draft, failures = found
        data, label = draft.result
        pad = 0 if self._left else self._epoch.pad
        if failures:
            pad = _closed_up(draft, failures, pad)
        self.current_batch = DataBatch([data], [label], pad, draft.identifiers)
        return True

    def _begin(self, previous: Epoch | None) -> None:
        self._epoch = self._order.epoch(previous)
        self._left = len(self._epoch.rows)
        self._ahead.start(self._drafts(self._epoch))

    def _drafts(self, epoch: Epoch) -> Iterator[Draft]:
        data, label = self.provide_data[0], self.provide_label[0]
        for number, records in enumerate(epoch.rows):
            result = F.empty(data.shape, dtype=data.dtype), F.empty(label.shape)
            yield Draft(
                epoch.number,
                number * self.batch_size,
                records,
                np.asarray(result[0]),
                np.asarray(result[1]).reshape(self.batch_size, -1),
                np.zeros(self.batch_size, np.uint64),
                result,
            )


def record_offsets(reading: Reading) -> np.ndarray:
    """Return where each record of the file begins: by its index where one is given.

    Raises
    ------
    AttributeValueError
        There is no record.
    """
    index, path = reading.path_imgidx, reading.path_imgrec
    found = (offset for _, offset in read_index(index)) if index else offsets(path)
    places = np.array(list(found), np.int64)
    if not len(places):
        raise AttributeValueError(
            f"{os.fspath(index or path)} names no record; make record files by im2rec"
        )
    return places


def _closed_up(draft: Draft, failures: list[Failure], pad: int) -> int:
    """Move rows up over those that failed; return how many at the end only fill the batch up."""
    rows = len(draft.data)
    failed = {failure.row for failure in failures}
    for failure in failures:
        if failure.row < rows - pad:
            warnings.warn(f"{failure.reason}; it is left out", RuntimeWarning, stacklevel=4)
    sound = [row for row in range(rows) if row not in failed]
    if not sound:
        raise OpforgeError(f"no record of a batch holds an image: {failures[0].reason}")
    kept = sum(row < rows - pad for row in sound)
    order = np.resize(sound, rows)
    for array in (draft.data, draft.label, draft.identifiers):
        array[...] = array[order]
    return rows - kept
