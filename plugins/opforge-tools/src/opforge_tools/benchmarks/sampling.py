"""Timing samples: batches of calls that are long enough for the clock, and their summary."""

import itertools
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Batches", "Summary", "summarise"]

#: Minimum duration of a batch in seconds.
BATCH = 2e-3
#: Seconds of untimed calls before each round, which warm up caches and thread pools.
WARM_UP = 10e-3


@dataclass(frozen=True)
class Summary:
    """Summary of the distribution of samples, in their unit.

    Attributes
    ----------
    median, lowest : float
    spread : float
        Interquartile range divided by the median, a measure of noise.
    count : int
        Number of samples.
    """

    median: float
    lowest: float
    spread: float
    count: int

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary."""
        return asdict(self)


def summarise(samples: list[float]) -> Summary:
    """Return the summary of at least one sample.

    Examples
    --------
    >>> summarise([1.0, 2.0, 3.0, 4.0, 5.0])
    Summary(median=3.0, lowest=1.0, spread=0.6666666666666666, count=5)
    """
    median = statistics.median(samples)
    spread = 0.0
    if len(samples) > 1 and median:
        first, _, third = statistics.quantiles(samples, n=4, method="inclusive")
        spread = (third - first) / median
    return Summary(median, min(samples), spread, len(samples))


class Batches:
    """Timer of one function, in rounds of batches.

    Parameters
    ----------
    run : callable
        Performs the work once.
    wait : callable
        Returns when the work is done; its time is included.
    """

    def __init__(self, run: Callable[[], Any], wait: Callable[[], Any]) -> None:
        self._run, self._wait = run, wait
        self._size = 1
        self._batch()  # the first call may load, compile and allocate
        while self._batch() < BATCH:
            self._size *= 2

    def round(self, seconds: float) -> list[float]:
        """Return the seconds per call, one value for each batch.

        Parameters
        ----------
        seconds : float
            Approximate duration of the round without warm-up; at least one batch runs.
        """
        began = time.perf_counter()
        while time.perf_counter() - began < WARM_UP:
            self._batch()
        samples: list[float] = []
        began = time.perf_counter()
        while not samples or time.perf_counter() - began < seconds:
            samples.append(self._batch() / self._size)
        return samples

    def _batch(self) -> float:
        run = self._run
        began = time.perf_counter()
        for _ in itertools.repeat(None, self._size):
            run()
        self._wait()
        return time.perf_counter() - began
