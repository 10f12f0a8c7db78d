"""Assignment of records to batches: parts, passes over the data, and shuffling."""

from dataclasses import dataclass

import numpy as np

from opforge.plugin_api import AttributeValueError

__all__ = ["Epoch", "Order"]


@dataclass(frozen=True)
class Epoch:
    """Batches of an epoch.

    Parameters
    ----------
    number : int
    rows : numpy.ndarray
        (batches, batch_size) indices of records.
    pad : int
        Number of padding rows of the last batch.
    left : numpy.ndarray
        Remaining records of the pass that filled the last batch; the next epoch starts with them.
    """

    number: int
    rows: np.ndarray
    pad: int
    left: np.ndarray


class Order:
    """Epochs over one part of the records.

    Parameters
    ----------
    count : int
        Number of records in all parts.
    batch_size : int
    num_parts, part_index : int
        Parts are contiguous, hold each record once, and differ by at most one record.
    shuffle : bool
        Shuffle each pass, depending only on `seed` and the number of the pass.
    round_batch : bool
        Fill the last batch from the next pass, which the next epoch continues; otherwise repeat
        records of this epoch.

    Raises
    ------
    AttributeValueError
        The part does not exist or has no records.

    Examples
    --------
    >>> order = Order(5, 2, 1, 0, shuffle=False, seed=0, round_batch=True)
    >>> first = order.epoch()
    >>> first.rows.tolist(), first.pad, order.epoch(first).rows.tolist()
    ([[0, 1], [2, 3], [4, 0]], 1, [[1, 2], [3, 4]])
    """

    def __init__(
        self,
        count: int,
        batch_size: int,
        num_parts: int,
        part_index: int,
        *,
        shuffle: bool,
        seed: int,
        round_batch: bool,
    ) -> None:
        if not 0 <= part_index < num_parts:
            raise AttributeValueError(
                f"got part_index={part_index}; expected 0 to {num_parts - 1} because "
                f"num_parts={num_parts}"
            )
        self._records = np.array_split(np.arange(count), num_parts)[part_index]
        if not len(self._records):
            raise AttributeValueError(
                f"part {part_index} of {num_parts} has no records because the file has only {count}"
            )
        self._batch_size = batch_size
        self._seed = seed if shuffle else None
        self._round_batch = round_batch
        self._epochs = self._passes = 0

    def epoch(self, previous: Epoch | None = None) -> Epoch:
        """Return the next epoch, continuing the pass of `previous` if one is passed."""
        rows = self._pass() if previous is None or not len(previous.left) else previous.left
        pad = -len(rows) % self._batch_size
        if self._round_batch:
            filler = np.empty(0, rows.dtype)
            while len(filler) < pad:
                filler = np.concatenate([filler, self._pass()])
        else:
            filler = np.resize(rows, pad)
        self._epochs += 1
        return Epoch(
            self._epochs - 1,
            np.concatenate([rows, filler[:pad]]).reshape(-1, self._batch_size),
            pad,
            filler[pad:],
        )

    def _pass(self) -> np.ndarray:
        self._passes += 1
        if self._seed is None:
            return self._records
        return np.random.default_rng([self._seed, self._passes - 1]).permutation(self._records)
