"""Check that arrays without elements give results without elements or are rejected."""

from opforge import autograd
from opforge import ndarray as nd

from ...subjects.generation import REFUSALS
from ...subjects.rebatching import candidates
from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ..check import NotApplicable

__all__ = ["check_empty_arrays"]


def check_empty_arrays(subject: OperatorSubject) -> int:
    """Run forward and backward with inputs of zero rows."""
    count, rejection = 0, "no sample has rows to remove"
    for sample in subject.samples:
        for candidate in candidates(sample, 0):
            try:
                _run(subject, candidate)
            except REFUSALS as error:
                rejection = f"rejected: {error}"
                continue
            count += 1
            break
    if not count:
        raise NotApplicable(rejection)
    return count


def _run(subject: OperatorSubject, sample: Sample) -> None:
    shapes = {
        dtype: [item.shape for item in subject.outputs(sample, dtype)] for dtype in subject.dtypes
    }
    for dtype, found in shapes.items():
        want = shapes[subject.dtype]
        if found != want:
            raise AssertionError(
                f"{sample}: expected shapes {want} in {subject.dtype}, got {found} in {dtype}"
            )
    if not subject.differentiable or not subject.wanted(sample):
        return
    arrays = subject.arrays(sample, subject.dtype)
    for position in subject.wanted(sample):
        arrays[position].attach_grad()
    with autograd.record():
        results = subject.call(nd, sample, arrays)
    autograd.backward(results)
    for position in subject.wanted(sample):
        have, want = arrays[position].grad.shape, arrays[position].shape
        if have != want:
            raise AssertionError(
                f"{sample}: gradient of input {position} has shape {have}, expected {want}"
            )
