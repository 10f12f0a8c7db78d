"""Check that overlapping calls do not interfere with each other.

A training step that uses an operator twice has two calls before the backward pass of either, and
the engine runs calls on several threads.
"""

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from opforge import autograd
from opforge import ndarray as nd

from ...subjects.generation import REFUSALS
from ...subjects.rebatching import rebatched
from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ...subjects.variants import reversed_inputs
from ..check import NotApplicable
from .determinism import compare_results, results_of
from .shared_arrays import expect_no_shared_arrays

__all__ = ["check_calls_at_once"]

#: Threads, and under stress.
_THREADS, _MORE_THREADS = 3, 8
#: Stress from which more threads call the operator.
_STRESS = 10
#: Calls per thread with samples, number of samples, and calls per thread with a large one.
_CALLS, _TRIED, _MORE_CALLS = 20, 3, 60
#: Number of elements for which calls last long enough to overlap.
_MEDIUM = 2**12


def check_calls_at_once(subject: OperatorSubject) -> int:
    """Record two calls before running backward on either; call from several threads at once."""
    medium = rebatched(subject, subject.samples[0], _MEDIUM)
    for number, sample in enumerate(subject.samples):
        want = results_of(subject, sample)
        _check_random(subject, sample, want)
        if not number:
            expect_no_shared_arrays(subject, sample)
        if "gradient" in want:
            _check_two_calls(subject, sample)
        if number < _TRIED:
            _check_threads(subject, sample, _CALLS)
    if medium is not None and _is_taken(subject, medium):
        _check_threads(subject, medium, _MORE_CALLS)
    return len(subject.samples)


def _is_taken(subject: OperatorSubject, sample: Sample) -> bool:
    try:
        results_of(subject, sample)
    except REFUSALS:
        return False  # its rows are bound to something else
    return True


def _check_threads(subject: OperatorSubject, sample: Sample, calls: int) -> None:
    """Pass different values in half of the threads, which reveals shared state."""
    samples = sample, reversed_inputs(subject, sample)
    want = [results_of(subject, one) for one in samples]
    threads = _MORE_THREADS if subject.stress >= _STRESS else _THREADS
    start = threading.Barrier(threads)
    with _switching_often(), ThreadPoolExecutor(threads) as pool:
        jobs = [
            pool.submit(_run, start, calls, subject, samples[at % 2], want[at % 2])
            for at in range(threads)
        ]
    for job in jobs:
        job.result()


def _check_random(subject: OperatorSubject, sample: Sample, want: dict[str, list[Any]]) -> None:
    """Skip operators that draw random numbers, because each thread has its own generator."""
    other = replace(subject, seed=subject.seed + 1).outputs(sample, subject.dtype)
    for a, b in zip(other, want["output"], strict=True):
        if not np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
            raise NotApplicable("it draws random numbers")


@contextmanager
def _switching_often() -> Iterator[None]:
    """Let Python switch threads after almost every line instead of every five milliseconds."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def _run(
    start: threading.Barrier,
    calls: int,
    subject: OperatorSubject,
    sample: Sample,
    want: dict[str, list[Any]],
) -> None:
    start.wait()
    for _ in range(calls):
        have = results_of(subject, sample)
        compare_results(have, want, f"{sample}: with {start.parties} threads calling it")


def _check_two_calls(subject: OperatorSubject, sample: Sample) -> None:
    """Compare the gradients of two recorded calls with those of each alone."""
    samples = sample, reversed_inputs(subject, sample)
    alone = [_gradients(subject, [one])[0] for one in samples]
    for position, (have, want) in enumerate(zip(_gradients(subject, samples), alone, strict=True)):
        for a, b in zip(have, want, strict=True):
            np.testing.assert_array_equal(
                a,
                b,
                err_msg=f"{sample}: with two calls recorded before backward, call {position} "
                "has a different gradient than alone; does the operator object keep data of "
                "one call although stateless = True?",
            )


def _gradients(subject: OperatorSubject, samples: Any) -> list[list[Any]]:
    """Record all calls, then run backward on all of them; return the gradients of each."""
    calls = [subject.arrays(sample, subject.dtype) for sample in samples]
    wanted = [subject.wanted(sample) for sample in samples]
    for arrays, positions in zip(calls, wanted, strict=True):
        for position in positions:
            arrays[position].attach_grad()
    with autograd.record():
        results = [
            output
            for sample, arrays in zip(samples, calls, strict=True)
            for output in subject.call(nd, sample, arrays)
        ]
    autograd.backward(results)
    return [
        [arrays[position].grad.asnumpy() for position in positions]
        for arrays, positions in zip(calls, wanted, strict=True)
    ]
