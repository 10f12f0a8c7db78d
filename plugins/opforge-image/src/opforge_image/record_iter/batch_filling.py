"""An image's way from its record into a row of a batch."""

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import cv2
import numpy as np

from opforge.plugin_api import OpforgeError

from ..codec import PictureError, decode_as
from ..recordio import DamagedRecordError, unpack
from ..recordio.header import HEADER, DamagedHeaderError
from ..recordio.reading import RecordFile

__all__ = ["Draft", "Failure", "Filler"]

#: How an image of so many channels is decoded: grey, colours, and as it is.
_FLAGS = {
    1: cv2.IMREAD_GRAYSCALE | cv2.IMREAD_IGNORE_ORIENTATION,
    3: cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION,
    4: cv2.IMREAD_UNCHANGED,
}


class Draft(NamedTuple):
    """A batch that is being filled: arrays with a row for each record."""

    epoch: int
    first: int
    records: np.ndarray
    data: np.ndarray
    label: np.ndarray
    identifiers: np.ndarray
    result: Any


class Failure(NamedTuple):
    """A row of a batch whose record holds no image, and the reason."""

    row: int
    reason: str


class Filler:
    """Fill rows of batches; any number of threads may call it.

    Parameters
    ----------
    owner : str
        Whose errors they are.
    file : RecordFile
    offsets : numpy.ndarray
        Where each record begins.
    process : callable
        ``process(image, header, data, label, rng)`` writes what the network sees.
    seed : tuple of int
        Random choices depend on it, the epoch (where `repeats` is False) and the record's place.
    repeats : bool
        Each epoch makes the same choices.
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

    def __call__(self, draft: Draft, start: int, stop: int) -> list[Failure]:
        """Fill rows `start` to `stop`; return those whose record is not an image."""
        failures = []
        for row in range(start, stop):
            try:
                self._row(draft, row)
            except (DamagedRecordError, DamagedHeaderError, PictureError) as error:
                failures.append(Failure(row, f"{self._where(draft, row)}: {error}"))
            except (OpforgeError, cv2.error) as error:
                kind = type(error) if isinstance(error, OpforgeError) else OpforgeError
                raise kind(f"{self._where(draft, row)}: {error}") from error
        return failures

    def _row(self, draft: Draft, row: int) -> None:
        record, _ = self._file.record(int(self._offsets[draft.records[row]]))
        header, content = unpack(record)
        channels = draft.data.shape[1]
        encoded = np.frombuffer(content, np.uint8)
        image = decode_as(encoded, _FLAGS[channels], f"of record {header.id}")
        if (1 if image.ndim == 2 else image.shape[2]) != channels:
            raise PictureError(
                f"record {header.id} has an image of shape {image.shape}, and "
                f"data_shape wants {channels} channels"
            )
        draft.identifiers[row] = header.id
        rng = Random(self._number(draft, row))
        self._process(image, header, draft.data[row], draft.label[row], rng)

    def _number(self, draft: Draft, row: int) -> int:
        """Return a number of its own for each seed, epoch and place."""
        epoch = 0 if self._repeats else draft.epoch
        return (self._seed << 80) | (epoch << 48) | (draft.first + row)

    def _where(self, draft: Draft, row: int) -> str:
        offset = self._offsets[draft.records[row]]
        return f"{self._owner}: record at offset {offset} of {self._file.path}"
