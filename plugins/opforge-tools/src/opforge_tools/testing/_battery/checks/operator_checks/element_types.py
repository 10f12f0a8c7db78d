"""Element types: each one is computed in, or refused by the declaration."""

from typing import Any

import numpy as np

from opforge import ndarray as nd
from opforge.base.dtypes import dtype_of

from ...subjects.generation import REFUSALS
from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from .agreement import REFERENCE_REFUSALS, expected_outputs

__all__ = ["check_element_types"]

_FLOATING = ("float16", "float32", "float64")
_WHOLE = ("int32", "int64", "int8", "uint8")
#: In which results are compared; steps on the way to them may be too large for the others.
_COMPARED = ("int32", "int64")


def check_element_types(subject: OperatorSubject) -> int:
    """Run every element type: results have the inferred type, whole numbers the right values."""
    sample = subject.samples[0]
    count = 0
    for dtype in (*_FLOATING, *_WHOLE):
        given = sample if dtype in _FLOATING else _whole(sample, dtype)
        try:
            inferred = subject.inferred(given, dtype)
            results = subject.call(nd, given, subject.arrays(given, dtype))
        except REFUSALS:
            continue  # it says that it does not take them
        for position, result in enumerate(results):
            have = result.asnumpy().dtype.name
            want = dtype_of(inferred.out_codes[position]).__name__
            if have != want:
                raise AssertionError(
                    f"inputs of {dtype}: output {position} has dtype {have}, inferred was {want}"
                )
        if dtype in _COMPARED:
            _compare(subject, given, [result.asnumpy() for result in results], dtype)
        count += 1
    if not count:
        raise AssertionError(f"{sample}: no element type is accepted")
    return count


def _whole(sample: Sample, dtype: str) -> Sample:
    """Return the sample with whole numbers in the place of floating ones."""
    inputs = [
        abs(item * 3).round().astype(dtype) if item.dtype.kind == "f" else item
        for item in sample.inputs
    ]
    return Sample(inputs, sample.attributes, sample.wanted)


def _compare(subject: OperatorSubject, sample: Sample, results: list[Any], dtype: str) -> None:
    """Compare results in whole numbers with the reference, where that gives whole numbers, too."""
    try:
        expected = expected_outputs(subject, _as_floating(sample))
    except REFERENCE_REFUSALS:
        return  # its float64 takes other values than whole numbers
    for position, (result, want) in enumerate(zip(results, expected, strict=True)):
        if result.dtype.name not in _COMPARED or result.shape != want.shape:
            continue
        if (want % 1).any():
            continue  # what is cut off on the way is lost
        with np.errstate(invalid="ignore"):
            near = np.abs(want) < np.iinfo(result.dtype).max
            wrong = near & (result != np.where(near, want, 0))
        if wrong.any():
            raise AssertionError(
                f"{sample}, dtype {dtype}: element {_index(wrong)} of output {position} is "
                f"{result[_index(wrong)]}, expected {want[_index(wrong)]:g}"
            )


def _index(wrong: Any) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argwhere(wrong)[0])


def _as_floating(sample: Sample) -> Sample:
    """Return the sample with the same numbers in float64."""
    inputs = [item.astype("float64") for item in sample.inputs]
    return Sample(inputs, sample.attributes, sample.wanted)
