"""Speed of an operator: overhead per call and throughput; reported but not judged."""

import time
from collections.abc import Callable
from math import prod
from typing import Any

from opforge import ndarray as nd
from opforge.base.errors import OpforgeError

from ..subjects.rebatching import rebatched
from ..subjects.sample import Sample
from ..subjects.subject import OperatorSubject

__all__ = ["OVERHEAD", "THROUGHPUT", "measured"]

OVERHEAD = "overhead, us per call"
THROUGHPUT = "throughput, elements/s"

#: Elements of the small and of the large input, and the time limit of a measurement.
_SMALL, _MEDIUM, _LARGE = 16, 10**4, 10**6
_SECONDS = 0.02
_PATIENCE = 0.3


def measured(subject: OperatorSubject) -> dict[str, float]:
    """Return the available figures; failures of the operator are left to the checks."""
    try:
        return _measure(subject, subject.samples[0])
    except OpforgeError:
        return {}


def _measure(subject: OperatorSubject, sample: Sample) -> dict[str, float]:
    small = rebatched(subject, sample, _SMALL) or sample
    found = {OVERHEAD: 1e6 * _seconds(_call(subject, small))}
    elements = rate = 0.0
    for size in (_MEDIUM, _LARGE):
        big = rebatched(subject, sample, size)
        # Operators written in Python could take minutes for the large input.
        if big is None or (rate and size / rate > _PATIENCE):
            break
        elements = prod(big.shapes[0])
        rate = elements / _seconds(_call(subject, big))
    return {**found, THROUGHPUT: rate} if rate else found


def _call(subject: OperatorSubject, sample: Sample) -> Callable[[], Any]:
    arrays = subject.arrays(sample, subject.dtype)
    call = subject.callable_of(nd, sample)
    return lambda: call(*arrays)


def _seconds(call: Callable[[], Any]) -> float:
    """Return the time of the fastest call within the time limit, of at least three."""
    best, start = float("inf"), time.perf_counter()
    calls = 0
    while calls < 3 or time.perf_counter() - start < _SECONDS:
        before = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - before)
        calls += 1
    return best
