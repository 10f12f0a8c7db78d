"""Check that each dtype is either computed correctly or rejected by the declaration."""

from dataclasses import replace
from typing import Any

import numpy as np

from opforge import ndarray as nd
from opforge.base.dtypes import dtype_of

from ...subjects.generation import REFUSALS
from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from .agreement import REFERENCE_REFUSALS, expected_outputs

__all__ = ["check_element_types"]

_WHOLE = ("int32", "int64", "int8", "uint8")
#: Integer types to compare; intermediate results may overflow the others.
_COMPARED = ("int32", "int64")


def check_element_types(subject: OperatorSubject) -> int:
    """Run every dtype; results must have the inferred dtype, integers the correct values."""
    sample = subject.samples[0]
    count = 0
    for dtype in (*subject.halves, "float32", "float64", *_WHOLE):
        given = _whole(sample, dtype) if dtype in _WHOLE else sample
        try:
            inferred = subject.inferred(given, dtype)
            results = subject.call(nd, given, subject.arrays(given, dtype))
        except REFUSALS:
            continue  # the declaration rejects them
        for position, result in enumerate(results):
            have = result.asnumpy().dtype.name
            want = dtype_of(inferred.out_codes[position]).__name__
            if have != want:
                raise AssertionError(
                    f"inputs of {dtype}: output {position} has dtype {have}; inference gave {want}"
                )
        if dtype in _COMPARED:
            _compare(subject, given, [result.asnumpy() for result in results], dtype)
        count += 1
    if not count:
        raise AssertionError(f"{sample}: no dtype is accepted")
    return count


def _whole(sample: Sample, dtype: str) -> Sample:
    """Return the sample with integers instead of floating-point numbers."""
    inputs = [
        abs(item * 3).round().astype(dtype) if sample.is_converted(position) else item
        for position, item in enumerate(sample.inputs)
    ]
    return replace(sample, inputs=inputs)


def _compare(subject: OperatorSubject, sample: Sample, results: list[Any], dtype: str) -> None:
    """Compare integer results with the reference if its results are integers, too."""
    try:
        expected = expected_outputs(subject, _as_floating(sample))
    except REFERENCE_REFUSALS:
        return  # its float64 version rejects integral values
    for position, (result, want) in enumerate(zip(results, expected, strict=True)):
        if result.dtype.name not in _COMPARED or result.shape != want.shape:
            continue
        if (want % 1).any():
            continue  # intermediate truncation loses information
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
    return replace(sample, inputs=[item.astype("float64") for item in sample.inputs])
