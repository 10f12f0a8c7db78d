"""Check that results are bitwise reproducible across calls and numbers of threads."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from opforge.base.errors import OpforgeError
from opforge.engine import get_num_threads, set_num_threads

from ...subjects.generation import REFUSALS
from ...subjects.rebatching import rebatched
from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject

__all__ = ["check_repetition", "check_threads", "compare_results", "results_of"]

#: Number of elements for which kernels use several threads.
_MANY = 2**17
#: Calls with the first sample, times the stress, and with each of the others.
_REPEATS, _FEW = 200, 10
#: Seconds of computation after which fewer calls suffice.
_PATIENCE = 5.0


def check_repetition(subject: OperatorSubject) -> int:
    """Call the first sample 200 times or more, and the others until a time limit."""
    start, count = time.process_time(), 0
    repeats = _REPEATS * subject.stress
    for sample in subject.samples:
        first = results_of(subject, sample)
        if not count:
            where = f"{sample}: after hundreds of calls, unlike the first one,"
            compare_results(first, subject.first_results, where)
        for number in range(2, 2 + (_FEW if count else repeats)):
            where = f"{sample}: call {number}, as the first one,"
            try:
                compare_results(results_of(subject, sample), first, where)
            except OpforgeError as error:
                raise AssertionError(f"{where} raises {error}") from error
            count += 1
            if time.process_time() - start > _PATIENCE:
                return count
    return count


def check_threads(subject: OperatorSubject) -> int:
    """Compare one, two and four threads on arrays large enough to use all of them."""
    sample, want = _largest(subject)
    counts = (2, 4)
    for count in counts:
        with _threads(count):
            compare_results(
                results_of(subject, sample), want, f"{sample}: with {count} threads, not one"
            )
    return len(counts)


def _largest(subject: OperatorSubject) -> tuple[Sample, dict[str, list[Any]]]:
    """Return a large sample that the operator accepts, else the first, and its results."""
    with _threads(1):
        for small in subject.samples:
            sample = rebatched(subject, small, _MANY)
            if sample is not None:
                try:
                    return sample, results_of(subject, sample)
                except REFUSALS:
                    continue  # its rows are bound to something else
        return subject.samples[0], results_of(subject, subject.samples[0])


def results_of(subject: OperatorSubject, sample: Sample) -> dict[str, list[Any]]:
    """Return the outputs in prediction and in training mode and the gradients of a sample."""
    found = {"output": subject.outputs(sample, subject.dtype)}
    wanted = subject.wanted(sample)
    if subject.differentiable and wanted:
        outputs, gradients = subject.trained(sample, subject.dtype, wanted)
        found |= {"output in training": outputs, "gradient": gradients}
    if not subject.first_results and sample is subject.samples[0]:
        subject.first_results.update(found)
    return found


def compare_results(have: dict[str, list[Any]], want: dict[str, list[Any]], where: str) -> None:
    """Raise if two results differ in any bit."""
    for what, results in have.items():
        for position, (a, b) in enumerate(zip(results, want[what], strict=True)):
            np.testing.assert_array_equal(a, b, err_msg=f"{where}: {what} {position} differs")


@contextmanager
def _threads(count: int) -> Iterator[None]:
    before = get_num_threads()
    set_num_threads(count)
    try:
        yield
    finally:
        set_num_threads(before)
