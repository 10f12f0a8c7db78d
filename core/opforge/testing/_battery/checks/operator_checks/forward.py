"""Results against a reference in float64: the author's, or the operator itself."""

from typing import Any

import numpy as np

from ...._closeness import assert_allclose
from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject, listed

__all__ = ["check_forward_values", "compare_with_reference", "expected_outputs"]


def check_forward_values(subject: OperatorSubject) -> int:
    """Compare the results in each element type with the reference computed in float64."""
    count = 0
    for sample in subject.samples:
        for dtype in subject.dtypes:
            if dtype == "float64" and subject.reference is None:
                continue  # it would be compared with itself
            compare_with_reference(subject, sample, dtype)
            count += 1
    return count


def compare_with_reference(subject: OperatorSubject, sample: Sample, dtype: str) -> None:
    """Raise AssertionError where the results of one sample are not the reference's."""
    rounded = Sample(sample.arrays(dtype), sample.attributes, sample.wanted)
    expected = expected_outputs(subject, rounded)
    results = subject.outputs(sample, dtype)
    assert len(results) == len(expected), (
        f"{sample}: {len(results)} outputs, the reference gives {len(expected)}"
    )
    tolerance = subject.tolerances[dtype]
    for position, (result, want) in enumerate(zip(results, expected, strict=True)):
        finite = np.abs(want[np.isfinite(want)]) if want.dtype.kind == "f" else np.abs(want)
        # Sums round in proportion to their largest terms, also where these cancel.
        scale = max(1.0, float(finite.max(initial=0.0)))
        where = f"{sample}, dtype {dtype}, output {position}"
        assert_allclose(result, want, tolerance, tolerance * scale, where=where)


def expected_outputs(subject: OperatorSubject, sample: Sample) -> list[Any]:
    """Return what the reference, or else the operator in float64, gives for a sample."""
    if subject.reference is None:
        return subject.outputs(sample, "float64")
    with np.errstate(all="ignore"):
        answer = subject.reference(*sample.arrays("float64"), **sample.attributes)
    return [np.asarray(item) for item in listed(answer)]
