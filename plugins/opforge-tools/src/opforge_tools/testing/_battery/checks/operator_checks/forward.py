"""Check of results against a float64 reference: the author's, or the operator itself."""

from ...subjects.subject import OperatorSubject
from .agreement import compare_outputs, compared_types

__all__ = ["check_forward_values"]


def check_forward_values(subject: OperatorSubject) -> int:
    """Compare the results in each dtype with the reference computed in float64."""
    count = 0
    for sample in subject.samples:
        for dtype in compared_types(subject):
            if dtype == "float64" and subject.reference is None:
                continue  # it would be compared with itself
            count += compare_outputs(subject, sample, dtype)
    return count
