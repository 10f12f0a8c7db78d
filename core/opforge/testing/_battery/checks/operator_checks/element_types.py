"""Element types: each one is computed in, or refused by the declaration."""

from dataclasses import replace

from ..... import ndarray as nd
from .....base.dtypes import dtype_of
from ...subjects.generation import REFUSALS
from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from .forward import compare_with_reference

__all__ = ["check_element_types"]

_FLOATING = ("float16", "float32", "float64")
_WHOLE = ("int32", "int64", "int8", "uint8")


def check_element_types(subject: OperatorSubject) -> int:
    """Run every element type: results have the inferred type, and float16 is right roughly."""
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
            assert have == want, (
                f"inputs of {dtype}: output {position} has dtype {have}, inferred was {want}"
            )
        if dtype == "float16":
            # With itself in float64: what is wrong with all types shows in "forward".
            compare_with_reference(replace(subject, reference=None), sample, dtype)
        count += 1
    assert count, f"{sample}: no element type is accepted"
    return count


def _whole(sample: Sample, dtype: str) -> Sample:
    """Return the sample with whole numbers in the place of floating ones."""
    inputs = [
        abs(item * 3).round().astype(dtype) if item.dtype.kind == "f" else item
        for item in sample.inputs
    ]
    return Sample(inputs, sample.attributes, sample.wanted)
