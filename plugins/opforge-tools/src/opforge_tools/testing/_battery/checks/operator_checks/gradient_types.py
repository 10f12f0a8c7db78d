"""Check of gradients in each dtype against those in float64."""

from collections.abc import Iterable

from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ..check import NotApplicable
from .agreement import AS_GIVEN, Limit, compare_gradients, compared_types
from .gradients import differentiable_samples

__all__ = ["check_gradient_types", "compare_gradient_types"]


def check_gradient_types(subject: OperatorSubject) -> int:
    """Compare the gradients in each other dtype with those in float64."""
    found = differentiable_samples(subject)
    count = sum(compare_gradient_types(subject, sample) for sample, _ in found)
    if not count:
        raise NotApplicable("it draws random numbers, or accepts a single dtype")
    return count


def compare_gradient_types(
    subject: OperatorSubject,
    sample: Sample,
    limit: Limit = AS_GIVEN,
    types: Iterable[str] | None = None,
) -> int:
    """Compare the gradients of one sample; return the number of dtypes.

    Random operators may draw different numbers in each dtype.
    """
    if subject.draws(sample):
        return 0
    return sum(
        compare_gradients(subject, sample, dtype, limit)
        for dtype in (compared_types(subject) if types is None else types)
        if dtype != "float64"
    )
