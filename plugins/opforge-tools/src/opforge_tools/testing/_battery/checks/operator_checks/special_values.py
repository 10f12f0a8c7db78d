"""Check of inputs with a zero or infinite element against the reference."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from opforge import autograd
from opforge import ndarray as nd

from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ..check import NotApplicable
from .agreement import REFERENCE_REFUSALS, expected_outputs, unwarned
from .gradients import has_gradient

__all__ = ["check_special_values"]

_SPECIAL = (0.0, np.inf, -np.inf)
_STEP = 1e-6


def check_special_values(subject: OperatorSubject) -> int:
    """Set the first element of each floating input in turn to each value."""
    with unwarned():
        return _check(subject)


def _check(subject: OperatorSubject) -> int:
    count, rejection = 0, "no sample has a floating input with elements"
    for sample in subject.samples:
        for position, value in _positions(subject, sample):
            given = _with_value(sample, position, value)
            try:
                count += _compare_results(subject, given, f"{value:g} in input {position}")
                if value == 0 and has_gradient(subject, given):
                    _compare_slope(subject, given, position)
            except REFERENCE_REFUSALS as error:
                rejection = f"rejected: {error}"
    if not count:
        raise NotApplicable(rejection)
    return count


def _positions(subject: OperatorSubject, sample: Sample) -> Iterator[tuple[int, float]]:
    for position in subject.wanted(sample):
        if sample.inputs[position].size:
            yield from ((position, value) for value in _SPECIAL)


def _with_value(sample: Sample, position: int, value: float) -> Sample:
    inputs = [np.array(item, copy=True) for item in sample.inputs]
    inputs[position].flat[0] = value
    return replace(sample, inputs=inputs)


def _compare_results(subject: OperatorSubject, sample: Sample, what: str) -> int:
    """Compare results in each dtype if those of the reference are not NaN."""
    for dtype in subject.dtypes:
        expected = expected_outputs(subject, replace(sample, inputs=sample.arrays(dtype)))
        for place, (result, want) in enumerate(
            zip(subject.outputs(sample, dtype), expected, strict=True)
        ):
            if result.dtype.kind != "f" or result.shape != want.shape:
                continue
            near = np.isclose(result, want, rtol=1e-3, atol=1e-3)
            wrong = ~(near | np.isnan(want))
            at = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.any() else ()
            if wrong.any():
                raise AssertionError(
                    f"{sample}, dtype {dtype}: with {what} element {at} of output {place} is "
                    f"{result[at]:g}, expected {want[at]:g}"
                )
    return 1


def _compare_slope(subject: OperatorSubject, sample: Sample, position: int) -> None:
    """Compare the gradient at zero, unless the function has a kink or a pole there."""
    analytic = _slope(subject, sample, position)
    middle = _project(subject, sample)
    right, left, near = (
        (_project(subject, _with_value(sample, position, step)) - middle) / step
        for step in (_STEP, -_STEP, _STEP / 10)
    )
    size = max(1.0, abs(right), abs(left))
    if not (np.isfinite(size) and max(abs(right - left), abs(right - near)) <= 1e-3 * size):
        return
    numeric = (right + left) / 2
    if not (abs(analytic - numeric) <= 1e-2 * size):
        raise AssertionError(
            f"{sample}: at 0 the first element of input {position} has gradient {analytic:.7g}, "
            f"the one-sided differences are {left:.7g} and {right:.7g}"
        )


def _results(subject: OperatorSubject, sample: Sample, arrays: list[Any]) -> list[Any]:
    return [y for y in subject.call(nd, sample, arrays) if np.dtype(y.dtype) == np.float64]


def _project(subject: OperatorSubject, sample: Sample) -> float:
    """Return the sum of all results in training mode, weighted by their head gradients."""
    with autograd.train_mode():
        results = _results(subject, sample, subject.arrays(sample, "float64"))
    return sum(
        float((y * head).sum().asscalar())
        for y, head in zip(results, subject.heads(results), strict=True)
    )


def _slope(subject: OperatorSubject, sample: Sample, position: int) -> float:
    arrays = subject.arrays(sample, "float64")
    arrays[position].attach_grad()
    with autograd.record():
        results = _results(subject, sample, arrays)
    if not results:
        return 0.0
    autograd.backward(results, subject.heads(results))
    return float(arrays[position].grad.asnumpy().flat[0])
