"""Variants of a sample: other values, lengths and numbers of axes, rows for several threads."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from opforge.base.errors import OpforgeError

from .rebatching import rebatched
from .sample import Sample
from .subject import OperatorSubject

__all__ = [
    "enlarged",
    "is_reference_fast",
    "reshaped",
    "reversed_inputs",
    "scaled",
    "shuffled_inputs",
    "stretched",
]

#: Elements of a large input, and of smaller ones that predict whether it takes too long.
_SIZES = (2**12, 2**14, 2**17)
#: Maximum seconds for one call of a large sample.
_PATIENCE = 0.1
#: Shapes with zero to five axes, and with last axes of length 1, 17 and 37.
_SHAPES = ((), (3,), (3, 17), (2, 3, 4), (2, 1, 2, 37), (2, 1, 3, 2, 2))
#: Length that replaces others: more than a vector register or a block of channels holds.
_LONG = 17
#: Numbers of axes, and the length of added ones, which is no channel's.
_AXES, _ADDED = (2, 3, 4, 5), 2


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
            yield _resize(sample, [shape] * len(sample.inputs))


def stretched(subject: OperatorSubject, sample: Sample) -> Iterator[list[Sample]]:
    """Yield other lengths and numbers of axes of inputs of different shapes.

    Each is a list of alternatives, of which the operator may accept one: which lengths belong
    together, and which axis is that of the channels, depends on the operator.
    """
    if len({*sample.shapes}) < 2 or not all(item.size for item in sample.inputs):
        return
    for length in dict.fromkeys(length for shape in sample.shapes for length in shape):
        shapes = [tuple(_LONG if n == length else n for n in shape) for shape in sample.shapes]
        attributes = {
            key: _LONG if type(value) is int and value == length else value
            for key, value in sample.attributes.items()
        }
        yield [
            replace(_resize(sample, shapes), attributes=given)
            for given in (sample.attributes, attributes)
        ]
    first = sample.shapes[0]
    for count in _AXES:
        more = (_ADDED,) * (count - len(first))
        if count == len(first) or len(first) < 2:
            continue
        # The last axis may be that of the channels.
        kept = [(*first[: count - 1], first[-1])] if count > 2 else []
        between = [(*first[:1], *more, *first[1:])] if more else kept
        choices = [(*first, *more)[:count], *between]
        yield [
            _resize(sample, [shape if old == first else old for old in sample.shapes])
            for shape in dict.fromkeys(choices)
        ]


def _resize(sample: Sample, shapes: Sequence[tuple[int, ...]]) -> Sample:
    """Return the sample with inputs of these shapes, which repeat its values."""
    pairs = zip(sample.inputs, shapes, strict=True)
    return replace(sample, inputs=[np.resize(a, shape).astype(a.dtype) for a, shape in pairs])


def scaled(subject: OperatorSubject, sample: Sample, factor: float) -> Sample:
    """Return the sample with its differentiable inputs multiplied by `factor`."""
    wanted = subject.wanted(sample)

    def multiplied(at: int, item: Any) -> Any:
        return item * item.dtype.type(factor) if at in wanted else item

    return replace(sample, inputs=[multiplied(*pair) for pair in enumerate(sample.inputs)])


def reversed_inputs(subject: OperatorSubject, sample: Sample) -> Sample:
    """Return the sample with different values: each differentiable input reversed."""
    wanted = subject.wanted(sample)
    inputs = [
        item.ravel()[::-1].reshape(item.shape) if at in wanted else item
        for at, item in enumerate(sample.inputs)
    ]
    return replace(sample, inputs=inputs)


def shuffled_inputs(subject: OperatorSubject, sample: Sample) -> Sample:
    """Return the sample with the elements of each floating input in another order."""
    rng = np.random.default_rng(subject.seed)
    inputs = [
        rng.permutation(item.ravel()).reshape(item.shape) if item.dtype.kind == "f" else item
        for item in sample.inputs
    ]
    return replace(sample, inputs=inputs)
