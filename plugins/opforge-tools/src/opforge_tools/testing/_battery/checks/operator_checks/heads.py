"""Checks of head gradients: scaling, repeated backward passes, and prediction mode."""

from typing import Any

import numpy as np

from opforge import autograd
from opforge import ndarray as nd

from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ..check import NotApplicable
from .gradients import compare_with_difference, differentiable_samples

__all__ = ["check_backward_twice", "check_heads", "check_prediction_gradients"]

#: Factors of head gradients, by which the input gradients must scale as well.
_SCALES = (-1.0, 1e-3, 1e3)
_RTOL, _ATOL = 1e-6, 1e-12


def check_heads(subject: OperatorSubject) -> int:
    """Scale the head gradient; input gradients must scale by the same factor."""
    found = _through(subject)
    for sample, wanted in found:
        once = _gradients(subject, sample, wanted, [1.0])[0]
        for scale in _SCALES:
            scaled = _gradients(subject, sample, wanted, [scale])[0]
            for position, have, want in zip(wanted, scaled, once, strict=True):
                _compare(
                    have / scale,
                    want,
                    f"{sample}: with {scale:g} times the head gradient, the gradient of input "
                    f"{position}, divided by {scale:g},",
                )
    return len(found)


def check_backward_twice(subject: OperatorSubject) -> int:
    """Run backward twice on one call, as ``retain_graph`` allows."""
    found = _through(subject)
    for sample, wanted in found:
        first, second = _gradients(subject, sample, wanted, [1.0, 1.0])
        for position, have, want in zip(wanted, second, first, strict=True):
            _compare(have, want, f"{sample}: in a second backward the gradient of input {position}")
    return len(found)


def check_prediction_gradients(subject: OperatorSubject) -> int:
    """Compare gradients of ``record(train_mode=False)`` with differences of predictions."""
    found = _through(subject)
    count = sum(compare_with_difference(subject, sample, train=False) for sample, _ in found)
    if not count:
        raise NotApplicable("no result is float64")
    return count


def _through(subject: OperatorSubject) -> list[tuple[Sample, list[int]]]:
    """Return the samples whose gradients depend on head gradients."""
    found = differentiable_samples(subject)
    if not getattr(subject.prop(found[0][0]), "need_top_grad_", True):
        raise NotApplicable("need_top_grad = False: the head gradient is ignored")
    return found


def _gradients(
    subject: OperatorSubject, sample: Sample, wanted: list[int], scales: list[float]
) -> list[list[Any]]:
    """Return the gradients of one call for each scale, in float64."""
    arrays = subject.arrays(sample, "float64")
    for position in wanted:
        arrays[position].attach_grad()
    with autograd.record():
        results = subject.call(nd, sample, arrays)
    found = []
    for scale in scales:
        autograd.backward(results, subject.heads(results, scale), retain_graph=True)
        found.append([arrays[position].grad.asnumpy() for position in wanted])
    return found


def _compare(have: Any, want: Any, what: str) -> None:
    finite = np.abs(want[np.isfinite(want)]).max(initial=0.0)
    atol = _RTOL * float(finite) + _ATOL
    wrong = ~np.isclose(have, want, rtol=_RTOL, atol=atol, equal_nan=True)
    at = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.any() else ()
    if wrong.any():
        raise AssertionError(f"{what} is {have[at]:.7g} in element {at}, expected {want[at]:.7g}")
