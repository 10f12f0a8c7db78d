"""`IntervalSampler`: indices at fixed intervals."""

from collections.abc import Iterator

from opforge.gluon.data import Sampler

__all__ = ["IntervalSampler"]


class IntervalSampler(Sampler):
    """Sampler of every `interval`-th index.

    Parameters
    ----------
    length : int
        Number of samples.
    interval : int
        Difference between two indices, at most `length`.
    rollover : bool, default True
        Whether to begin again at the first index that was skipped, until all have been returned.

    Examples
    --------
    >>> list(IntervalSampler(7, interval=3))
    [0, 3, 6, 1, 4, 2, 5]
    >>> list(IntervalSampler(7, interval=3, rollover=False))
    [0, 3, 6]
    """

    def __init__(self, length: int, interval: int, rollover: bool = True) -> None:
        assert interval <= length, (
            f"Interval {interval} must be smaller than or equal to length {length}"
        )
        self._length = length
        self._interval = interval
        self._rollover = rollover

    def __iter__(self) -> Iterator[int]:
        for first in range(self._interval if self._rollover else 1):
            yield from range(first, self._length, self._interval)

    def __len__(self) -> int:
        """Return `length`, also without `rollover`, as MXNet does."""
        return self._length
