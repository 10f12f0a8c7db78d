"""Variants of a sample: other magnitudes, numbers of axes, and rows for several threads."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from opforge.base.errors import OpforgeError

from .rebatching import rebatched
from .sample import Sample
from .subject import OperatorSubject

__all__ = ["enlarged", "is_reference_fast", "reshaped", "scaled"]

#: Elements of a large input, and of smaller ones that predict whether it takes too long.
_SIZES = (2**12, 2**14, 2**17)
#: Maximum seconds for one call of a large sample.
_PATIENCE = 0.1
#: Shapes with zero to five axes, and with last axes of length 1, 17 and 37.
_SHAPES = ((), (3,), (3, 17), (2, 3, 4), (2, 1, 2, 37), (2, 1, 3, 2, 2))


def enlarged(subject: OperatorSubject, sample: Sample) -> Sample | None:
    """Return a sample of more than 100,000 elements that repeats the values of `sample`.

    Operators that compute element by element in Python get a few thousand.
    """
    found, before, seconds = None, _SIZES[0], 0.0
    for size in _SIZES:
        larger = rebatched(subject, sample, size)
        if larger is None or seconds * size / before > _PATIENCE:
            break
        start = time.perf_counter()
        try:
            subject.outputs(larger, subject.dtype)
        except OpforgeError:
            break  # its rows are bound to something else
        found, before, seconds = larger, size, time.perf_counter() - start
    return found


def is_reference_fast(subject: OperatorSubject, sample: Sample) -> bool:
    """Return whether the author's reference is fast enough for an enlarged `sample`.

    References may be exponential, so the size is increased step by step.
    """
    if subject.reference is None:
        return True
    elements = max(1, sample.inputs[0].size)
    seconds = 0.0
    while elements < _SIZES[0]:
        elements = int(1.25 * elements) + 1
        larger = rebatched(subject, sample, elements)
        if larger is None:
            return False
        start = time.perf_counter()
        with np.errstate(all="ignore"):
            subject.reference(*larger.arrays("float64"), **larger.attributes)
        seconds = time.perf_counter() - start
        if seconds * _SIZES[-1] / _SIZES[0] > _PATIENCE:
            return False
    return True


def reshaped(subject: OperatorSubject, sample: Sample) -> Iterator[Sample]:
    """Yield the sample with other numbers of axes, if all inputs have the same shape."""
    floating = all(item.dtype.kind == "f" and item.size for item in sample.inputs)
    if len({*sample.shapes}) != 1 or not floating or subject.n_states(sample):
        return
    for shape in _SHAPES:
        if shape not in sample.shapes:
            inputs = [np.resize(item, shape).astype(item.dtype) for item in sample.inputs]
            yield replace(sample, inputs=inputs)


def scaled(subject: OperatorSubject, sample: Sample, factor: float) -> Sample:
    """Return the sample with its differentiable inputs multiplied by `factor`."""
    wanted = subject.wanted(sample)

    def multiplied(at: int, item: Any) -> Any:
        return item * item.dtype.type(factor) if at in wanted else item

    return replace(sample, inputs=[multiplied(*pair) for pair in enumerate(sample.inputs)])
