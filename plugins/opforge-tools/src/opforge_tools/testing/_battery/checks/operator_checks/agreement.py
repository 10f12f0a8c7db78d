"""Comparison of results and gradients in each dtype with those computed in float64."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from opforge.base.dtypes import element_type

from ...._closeness import assert_allclose
from ...subjects.generation import REFUSALS
from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject, listed

__all__ = [
    "AS_GIVEN",
    "REFERENCE_REFUSALS",
    "Limit",
    "compare_arrays",
    "compare_gradients",
    "compare_outputs",
    "compared_types",
    "expected_outputs",
    "expected_states",
    "unwarned",
]


@dataclass(frozen=True)
class Limit:
    """Tolerances of a comparison.

    Parameters
    ----------
    slack : float
        Factor applied to the tolerance of a dtype.
    floor : float
        Magnitude below which errors are relative to this value.
    overflow : bool
        Whether to ignore elements that are not finite on either side.
    conditioned : bool
        Whether to accept the errors that rounding the inputs would cause: if large numbers
        cancel, or are exponents, no implementation can do better.
    """

    slack: float = 1.0
    floor: float = 1.0
    overflow: bool = False
    conditioned: bool = False


#: Errors of operators and NumPy references for unsupported values.
REFERENCE_REFUSALS = (*REFUSALS, ValueError, LookupError, TypeError, ArithmeticError)
#: Number of random roundings of the inputs, and the accepted multiple of their errors.
_ROUNDINGS, _ROUNDING_SLACK = 3, 10
#: Tolerances of samples that the author provides.
AS_GIVEN = Limit()


@contextmanager
def unwarned() -> Iterator[None]:
    """Suppress warnings about overflow and invalid values, which checks cause on purpose."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def compared_types(subject: OperatorSubject) -> tuple[str, ...]:
    """Return the dtypes in which results are compared."""
    return (*subject.dtypes, *(subject.halves if subject.with_half else ()))


def compare_outputs(
    subject: OperatorSubject, sample: Sample, dtype: str, limit: Limit = AS_GIVEN
) -> bool:
    """Raise AssertionError if the results of one sample differ from the reference.

    Returns
    -------
    bool
        False if the operator rejects a 16-bit type, which is allowed: indices may not fit.
    """
    try:
        results = subject.outputs(sample, dtype)
    except REFUSALS:
        if dtype in subject.dtypes:
            raise
        return False
    rounded = replace(sample, inputs=sample.arrays(dtype))
    expected = expected_outputs(subject, rounded)
    if len(results) != len(expected):
        raise AssertionError(
            f"{sample}: {len(results)} outputs; the reference gives {len(expected)}"
        )
    errors = _rounding_errors(
        subject, partial(expected_outputs, subject), rounded, dtype, expected, limit
    )
    for position, (result, want, error) in enumerate(zip(results, expected, errors, strict=True)):
        where = f"{sample}, dtype {dtype}, output {position}"
        compare_arrays(result, want, error, subject.tolerances[dtype], limit, where)
    return True


def expected_outputs(subject: OperatorSubject, sample: Sample) -> list[Any]:
    """Return the results of the reference, or of the operator in float64, for a sample."""
    if subject.reference is None:
        return subject.outputs(sample, "float64")
    return _reference_values(subject, sample)[0]


def expected_states(subject: OperatorSubject, sample: Sample) -> list[Any] | None:
    """Return the states after a training step according to the reference, if it returns them."""
    return None if subject.reference is None else _reference_values(subject, sample)[1]


def _reference_values(
    subject: OperatorSubject, sample: Sample
) -> tuple[list[Any], list[Any] | None]:
    """Return the outputs and, if the reference returns more arrays than these, the states."""
    assert subject.reference is not None
    with np.errstate(all="ignore"):
        answer = subject.reference(*sample.arrays("float64"), **sample.attributes)
    found = [np.asarray(item) for item in listed(answer)]
    n_outputs, n_states = subject.n_visible(sample), subject.n_states(sample)
    if not n_states or len(found) != n_outputs + n_states:
        return found, None
    return found[:n_outputs], found[n_outputs:]


def compare_gradients(
    subject: OperatorSubject, sample: Sample, dtype: str, limit: Limit = AS_GIVEN
) -> bool:
    """Raise AssertionError if the gradients of one sample differ from those in float64.

    Another check compares those with finite differences.

    Returns
    -------
    bool
        False if the operator rejects the dtype.
    """
    wanted = subject.wanted(sample)
    rounded = replace(sample, inputs=sample.arrays(dtype))
    try:
        results = subject.gradients(sample, dtype, wanted)
        expected = subject.gradients(rounded, "float64", wanted)
    except REFUSALS:
        return False
    differentiate = partial(subject.gradients, dtype="float64", positions=wanted)
    errors = _rounding_errors(subject, differentiate, rounded, dtype, expected, limit)
    for position, result, want, error in zip(wanted, results, expected, errors, strict=True):
        where = f"{sample}, dtype {dtype}, gradient of input {position}"
        compare_arrays(result, want, error, subject.tolerances[dtype], limit, where)
    return True


def _rounding_errors(
    subject: OperatorSubject,
    function: Callable[[Sample], list[Any]],
    sample: Sample,
    dtype: str,
    expected: list[Any],
    limit: Limit,
) -> list[float]:
    """Return the change of each result if inputs are rounded differently, or zeros."""
    errors = [0.0] * len(expected)
    if not limit.conditioned:
        return errors
    rng = np.random.default_rng(0)
    eps = 2.0 ** (1 - element_type(dtype).precision)
    for _ in range(_ROUNDINGS):
        inputs = list(sample.inputs)
        for at in subject.wanted(sample):
            signs = rng.choice([-1.0, 1.0], inputs[at].shape)
            inputs[at] = inputs[at].astype("float64") * (1 + signs * eps)
        results = function(replace(sample, inputs=inputs))
        moves = [_distance(*pair) for pair in zip(results, expected, strict=True)]
        errors = [max(pair) for pair in zip(errors, moves, strict=True)]
    return errors


def _distance(a: Any, b: Any) -> float:
    """Return the largest difference of elements that are finite in both arrays."""
    both = np.isfinite(a) & np.isfinite(b)
    return float(np.abs(a[both].astype("float64") - b[both]).max(initial=0.0))


def compare_arrays(
    result: Any, want: Any, error: float, tolerance: float, limit: Limit, where: str
) -> None:
    """Compare one array, including numbers that overflow its dtype to infinity."""
    if result.shape != want.shape:
        raise AssertionError(f"{where}: shape {result.shape}, expected {want.shape}")
    if result.dtype.kind == "f" and want.dtype.kind in "iuf":
        with np.errstate(over="ignore", under="ignore"):
            want = want.astype("float64")
            fits = want.astype(result.dtype).astype("float64")
        want = np.where(np.isinf(fits), fits, want)
        if limit.overflow:
            both = np.isfinite(result) & np.isfinite(want)
            result, want = np.where(both, result, 0), np.where(both, want, 0)
    # Rounding errors of sums are proportional to the largest terms, even if these cancel.
    scale = max(limit.floor, float(np.abs(want[np.isfinite(want)]).max(initial=0.0)))
    rtol = limit.slack * tolerance
    assert_allclose(result, want, rtol, rtol * scale + _ROUNDING_SLACK * error, where=where)
