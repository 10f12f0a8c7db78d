"""Checks of gradients against finite differences, and of each input's ``grad_req``."""

from collections.abc import Callable
from typing import Any

import numpy as np

from opforge import autograd
from opforge import ndarray as nd
from opforge.base.errors import OpforgeError, SecondGradientError

from ...._gradients import GradientMismatchError, check_gradients
from ...._requests import check_requests
from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ..check import NotApplicable, Unwise
from .losses import check_loss

__all__ = [
    "check_first_gradients",
    "check_gradient_requests",
    "check_second_gradients",
    "compare_with_difference",
    "differentiable_samples",
    "has_gradient",
]

#: Accepted relative error between a derivative and the finite difference, by order.
_RTOL = {1: 1e-5, 2: 1e-4}
_ATOL = 1e-6


def check_first_gradients(subject: OperatorSubject) -> int:
    """Compare the derivative along a random direction with a finite difference."""
    return _check(subject, 1)


def check_second_gradients(subject: OperatorSubject) -> int:
    """Compare second derivatives likewise."""
    if subject.how != "elementwise_kernel" and all(
        getattr(subject.prop_class, way, None) is None for way in ("gradient", "compose")
    ):
        raise NotApplicable("backward is not composed of operators, so it is not differentiable")
    return _check(subject, 2)


def check_gradient_requests(subject: OperatorSubject) -> int:
    """Check that gradients are written, added or skipped according to each input's ``grad_req``."""
    found = differentiable_samples(subject)
    for sample, wanted in found:
        function, inputs = _along_direction(subject, sample, wanted)
        # Inputs with different requests cover all paths; more samples repeat them.
        check_requests(function, inputs, rtol=1e-9)
    return len(found)


def differentiable_samples(subject: OperatorSubject) -> list[tuple[Sample, list[int]]]:
    """Return the samples with the inputs to differentiate.

    Raises
    ------
    NotApplicable
    There are no such samples.
    """
    if not subject.differentiable:
        raise NotApplicable("differentiable = False: no gradient")
    found = [(sample, subject.wanted(sample)) for sample in subject.samples]
    found = [(sample, wanted) for sample, wanted in found if wanted]
    if not found:
        raise NotApplicable("no sample has a differentiable input")
    return found


def has_gradient(subject: OperatorSubject, sample: Sample) -> bool:
    """Return whether a sample has differentiable inputs and results."""
    return (
        subject.differentiable
        and bool(subject.wanted(sample))
        and getattr(subject.prop(sample), "need_top_grad_", True)
    )


def compare_with_difference(
    subject: OperatorSubject,
    sample: Sample,
    step: float = 1e-5,
    *,
    train: bool = True,
    overflow: bool = False,
) -> int:
    """Compare the gradient of one sample with a finite difference.

    Returns
    -------
    int
        0 if no result is float64 or the function has a kink or jump there.

    Raises
    ------
    Unwise
        With `overflow`: the gradient is infinite or NaN although the function has a finite slope.
    """
    function, inputs = _along_direction(subject, sample, subject.wanted(sample), train)
    try:
        check_gradients(function, inputs, step=step, rtol=1e-4, atol=_ATOL)
    except NotApplicable:
        return 0
    except GradientMismatchError as error:
        if not error.is_smooth:
            return 0
        if overflow and not error.is_finite:
            raise Unwise(f"{sample}: {error}") from error
        raise AssertionError(f"{sample}: {error}") from error
    return 1


def _check(subject: OperatorSubject, order: int) -> int:
    found = differentiable_samples(subject)
    prop = subject.prop(found[0][0])
    if not getattr(prop, "need_top_grad_", True):
        if order > 1:
            raise NotApplicable("need_top_grad = False: a loss has no second gradient")
        return check_loss(subject, found)
    for sample, wanted in found:
        function, inputs = _along_direction(subject, sample, wanted)
        try:
            check_gradients(function, inputs, order=order, rtol=_RTOL[order], atol=_ATOL)
        except GradientMismatchError as error:
            if error.order < order:
                raise NotApplicable("the first gradient is already wrong") from error
            raise AssertionError(f"{sample}: {error}") from error
        except OpforgeError as error:
            if order > 1 and _is_final(error):
                raise NotApplicable("the gradient is not composed of operators only") from error
            raise
    return len(found)


def _is_final(error: BaseException) -> bool:
    """Return whether an error, possibly wrapped, means that a gradient is not differentiable."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, SecondGradientError):
        cause = cause.__cause__
    return cause is not None


def _along_direction(
    subject: OperatorSubject, sample: Sample, wanted: list[int], train: bool = True
) -> tuple[Callable[..., Any], list[Any]]:
    """Return the operator as a function of the differentiable inputs only, and their values."""
    constant = sample.arrays("float64")

    def function(*moved: Any) -> Any:
        given = dict(zip(wanted, moved, strict=True))
        # New arrays for each call, because the operator may change its states.
        arrays = [
            given[at] if at in given else nd.array(item, dtype=item.dtype)
            for at, item in enumerate(constant)
        ]
        with autograd.train_mode() if train else autograd.predict_mode():
            results = subject.call(nd, sample, arrays)
        # Other dtypes are too coarse for a finite difference, or integers.
        exact = [item for item in results if np.dtype(item.dtype) == np.float64]
        if not exact:
            raise NotApplicable(f"{sample}: no result is float64")
        return exact[0] if len(exact) == 1 else exact

    return function, [constant[at] for at in wanted]
