"""Check that NaN inputs give NaN in the same results in every dtype."""

from dataclasses import replace

import numpy as np

from ...subjects.generation import REFUSALS
from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ..check import NotApplicable
from .agreement import expected_outputs

__all__ = ["check_nan"]


def check_nan(subject: OperatorSubject) -> int:
    """Set an element of each floating input in turn to NaN and compare which results are NaN."""
    count, rejection = 0, "no sample has a floating input with elements"
    for sample in subject.samples:
        for position in subject.wanted(sample):
            if sample.inputs[position].size == 0:
                continue
            try:
                _compare(subject, _with_nan(sample, position), position)
            except REFUSALS as error:
                rejection = f"rejected: {error}"
                continue
            count += 1
    if not count:
        raise NotApplicable(rejection)
    return count


def _with_nan(sample: Sample, position: int) -> Sample:
    inputs = [np.array(item, copy=True) for item in sample.inputs]
    inputs[position].flat[0] = np.nan
    return replace(sample, inputs=inputs)


def _compare(subject: OperatorSubject, sample: Sample, position: int) -> None:
    expected = expected_outputs(subject, sample)
    for dtype in subject.dtypes:
        for place, (result, want) in enumerate(
            zip(subject.outputs(sample, dtype), expected, strict=True)
        ):
            if result.dtype.kind != "f" or want.dtype.kind != "f":
                continue
            have, wanted = np.isnan(result), np.isnan(want)
            if not np.array_equal(have, wanted):
                raise AssertionError(
                    f"{sample}: a NaN in input {position} makes {have.sum()} elements of output "
                    f"{place} NaN in {dtype}, expected {wanted.sum()}"
                )
