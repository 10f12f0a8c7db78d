"""Reading, decoding and processing of records into the rows of a batch."""

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import cv2
import numpy as np

from opforge.plugin_api import OpforgeError

from ..codec import ImageDecodingError, decode_as
from ..recordio import DamagedRecordError, unpack
from ..recordio.header import HEADER, DamagedHeaderError
from ..recordio.reading import RecordFile

__all__ = ["BatchFiller", "Failure", "PendingBatch"]

#: Number of channels -> OpenCV's flags for decoding: gray, color, unchanged.
_FLAGS = {
    1: cv2.IMREAD_GRAYSCALE | cv2.IMREAD_IGNORE_ORIENTATION,
    3: cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION,
    4: cv2.IMREAD_UNCHANGED,
}


class PendingBatch(NamedTuple):
    """Batch that is being filled: arrays with one row per record."""

    epoch: int
    first: int
    records: np.ndarray
    data: np.ndarray
    label: np.ndarray
    identifiers: np.ndarray
    result: Any


class Failure(NamedTuple):
    """Row of a batch whose record holds no image, and the reason."""

    row: int
    reason: str


class BatchFiller:
    """Callable that fills rows of batches; safe to call from several threads.

    Parameters
    ----------
    owner : str
        Name of the iterator, for errors.
    file : RecordFile
    offsets : numpy.ndarray
        Offset of each record.
    process : callable
        ``process(image, header, data, label, rng)`` writes the input of the network.
    seed : tuple of int
        Random choices depend on it, on the epoch (unless `repeats`) and on the record's position.
    repeats : bool
        Whether each epoch makes the same choices.
    """

    def __init__(
        self,
        owner: str,
        file: RecordFile,
        offsets: np.ndarray,
        process: Callable[[np.ndarray, HEADER, np.ndarray, np.ndarray, Random], None],
        seed: int,
        repeats: bool,
    ) -> None:
        self._owner = owner
        self._file = file
        self._offsets = offsets
        self._process = process
        self._seed = seed
        self._repeats = repeats

    def __call__(self, batch: PendingBatch, start: int, stop: int) -> list[Failure]:
        """Fill rows `start` to `stop` and return those whose record is not an image."""
        failures = []
        for row in range(start, stop):
            try:
                self._row(batch, row)
            except (DamagedRecordError, DamagedHeaderError, ImageDecodingError) as error:
                failures.append(Failure(row, f"{self._location(batch, row)}: {error}"))
            except (OpforgeError, cv2.error) as error:
                kind = type(error) if isinstance(error, OpforgeError) else OpforgeError
                raise kind(f"{self._location(batch, row)}: {error}") from error
        return failures

    def _row(self, batch: PendingBatch, row: int) -> None:
        record, _ = self._file.record(int(self._offsets[batch.records[row]]))
        header, content = unpack(record)
        channels = batch.data.shape[1]
        encoded = np.frombuffer(content, np.uint8)
        image = decode_as(encoded, _FLAGS[channels], f"of record {header.id}")
        if (1 if image.ndim == 2 else image.shape[2]) != channels:
            raise ImageDecodingError(
                f"record {header.id} has an image of shape {image.shape}; expected "
                f"{channels} channels because of data_shape"
            )
        batch.identifiers[row] = header.id
        rng = Random(self._row_seed(batch, row))
        self._process(image, header, batch.data[row], batch.label[row], rng)

    def _row_seed(self, batch: PendingBatch, row: int) -> int:
        """Return a unique number for each seed, epoch and position."""
        epoch = 0 if self._repeats else batch.epoch
        return (self._seed << 80) | (epoch << 48) | (batch.first + row)

    def _location(self, batch: PendingBatch, row: int) -> str:
        offset = self._offsets[batch.records[row]]
        return f"{self._owner}: record at offset {offset} of {self._file.path}"
