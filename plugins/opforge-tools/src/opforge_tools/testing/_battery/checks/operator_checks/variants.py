"""Checks of generated variants of samples: large arrays, numbers of axes, magnitudes."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain, islice

import numpy as np

from opforge.base.errors import OpforgeError

from ...subjects.generation import REFUSALS
from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ...subjects.variants import (
    enlarged,
    is_reference_fast,
    reshaped,
    scaled,
    shuffled_inputs,
    stretched,
)
from ..check import NotApplicable, Unwise
from .agreement import (
    REFERENCE_REFUSALS,
    Limit,
    compare_outputs,
    compared_types,
    expected_outputs,
    unwarned,
)
from .gradient_types import compare_gradient_types
from .gradients import compare_with_difference, has_gradient

__all__ = ["check_axes", "check_large_arrays", "check_magnitudes"]

#: Number of samples to enlarge, and number to scale.
_ENLARGED, _SCALED = 2, 4
#: Factors of the inputs, and the largest factor for float16.
_FACTORS = (1e-3, 0.05, 8.0, 40.0, 1e3)
_MOST_OF_HALF = 8.0
#: Larger results are treated as overflow.
_MOST = 1e30


def check_large_arrays(subject: OperatorSubject) -> int:
    """Compare results and gradients of arrays that are large enough for several threads."""
    count = done = 0
    for sample in subject.samples:
        large = enlarged(subject, sample)
        if large is None:
            continue
        asked = subject if is_reference_fast(subject, sample) else replace(subject, reference=None)
        # Longer sums have larger rounding errors.
        count += _compare_all(asked, large, Limit(slack=10, overflow=True))
        done += 1
        if done == _ENLARGED:
            break
    if not count:
        raise NotApplicable("no sample can be extended")
    return count


def check_axes(subject: OperatorSubject) -> int:
    """Compare results and gradients of arrays of zero to five axes, also longer ones.

    Of several inputs, such as those with one element per channel, each length changes in turn.
    """
    count, rejection = 0, "its inputs have different shapes"
    first = subject.samples[0]
    alone = ([sample] for sample in reshaped(subject, first))
    for alternatives in chain(alone, stretched(subject, first)):
        for sample in alternatives:
            rejected = _rejection(subject, sample)
            if rejected:
                rejection = rejected
                continue
            try:
                count += _compare_all(subject, sample, Limit(slack=10))
            except OpforgeError as error:
                if sample.inputs[0].ndim:
                    raise
                rejection = f"rejected: {error}"
            except AssertionError:
                if _have_one_shape(sample) or _accepts_other_values(subject, first):
                    raise
                rejection = "the values of its inputs depend on each other"
            break
    if not count:
        raise NotApplicable(rejection)
    return count


def _have_one_shape(sample: Sample) -> bool:
    return len({*sample.shapes}) == 1


def _accepts_other_values(subject: OperatorSubject, sample: Sample) -> bool:
    """Return whether the results are right if each input is shuffled on its own.

    They are not if one input is computed from another one, such as the sums of its rows.
    """
    try:
        compare_outputs(subject, shuffled_inputs(subject, sample), subject.dtype, Limit(slack=10))
    except AssertionError:
        return False
    return True


def _rejection(subject: OperatorSubject, sample: Sample) -> str:
    """Return the reason why operator or reference reject a sample, or an empty string.

    Any error is accepted without axes, because inference treats () as an unknown shape, and for
    inputs of different shapes, because their values may not fit other lengths.
    """
    try:
        shapes = [y.shape for y in subject.outputs(sample, subject.dtype)]
    except OpforgeError as error:
        is_expected = isinstance(error, REFUSALS) or not sample.inputs[0].ndim
        if is_expected or not _have_one_shape(sample):
            return f"rejected: {error}"
        raise
    try:
        wanted = [y.shape for y in expected_outputs(subject, sample)]
    except REFERENCE_REFUSALS as error:
        return f"the reference rejects it: {error}"
    if shapes == wanted:
        return ""
    if not _have_one_shape(sample):  # `other lengths` reports it
        return "the reference gives other shapes"
    return "" if sample.inputs[0].ndim else "its result has axes"


def check_magnitudes(subject: OperatorSubject) -> int:
    """Compare results and gradients of values a thousandth to a thousand times the samples'.

    Raises
    ------
    Unwise
        A gradient overflows although the function does not, which breaks training.
    """
    with unwarned():
        return _check_magnitudes(subject)


def _check_magnitudes(subject: OperatorSubject) -> int:
    count, doubts = 0, list[Unwise]()
    for sample in islice(_with_elements(subject), _SCALED):
        for factor in _FACTORS:
            candidate = scaled(subject, sample, factor)
            if not _in_domain(subject, candidate):
                continue
            limit = Limit(slack=10, floor=min(1.0, factor), overflow=True, conditioned=True)
            # If a gradient saturates, its terms are still products with an input, and cancel.
            steep = replace(limit, floor=factor)
            types = compared_types(subject)
            if factor > _MOST_OF_HALF:
                types = tuple(dtype for dtype in types if dtype != "float16")
            count += 1
            try:
                _compare_all(subject, candidate, limit, types, steep, step=1e-5 * factor)
            except Unwise as doubt:
                doubts.append(doubt)
    if not count:
        raise NotApplicable("its domain contains no multiple of a sample")
    if doubts:
        raise doubts[0]
    return count


def _with_elements(subject: OperatorSubject) -> Iterable[Sample]:
    """Return the samples with inputs that can be scaled."""
    return (
        sample
        for sample in subject.samples
        if any(sample.inputs[at].size for at in subject.wanted(sample))
    )


def _in_domain(subject: OperatorSubject, sample: Sample) -> bool:
    """Return whether the results are finite, so that differences can be computed."""
    try:
        found = [*expected_outputs(subject, sample), *subject.outputs(sample, "float64")]
    except REFERENCE_REFUSALS:
        return False
    floating = [item for item in found if item.dtype.kind == "f"]
    return all((np.abs(item) < _MOST).all() for item in floating)


def _compare_all(
    subject: OperatorSubject,
    sample: Sample,
    limit: Limit,
    types: Iterable[str] | None = None,
    gradient_limit: Limit | None = None,
    step: float = 1e-5,
) -> int:
    """Compare results and gradients of one sample in each dtype; return the number compared."""
    types = compared_types(subject) if types is None else types
    count = sum(compare_outputs(subject, sample, dtype, limit) for dtype in types)
    if has_gradient(subject, sample):
        count += compare_with_difference(subject, sample, step, overflow=limit.overflow)
        count += compare_gradient_types(subject, sample, gradient_limit or limit, types)
    return count
