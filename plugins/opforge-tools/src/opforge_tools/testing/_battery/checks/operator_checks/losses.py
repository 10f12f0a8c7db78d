"""Check of gradients that ignore the head gradient against the loss that the author names."""

from collections.abc import Sequence

import numpy as np

from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ..check import NotApplicable

__all__ = ["check_loss"]

_STEP = 1e-5
_RTOL, _ATOL = 1e-5, 1e-6


def check_loss(subject: OperatorSubject, samples: Sequence[tuple[Sample, list[int]]]) -> int:
    """Compare the derivative along a random direction of the wanted inputs with the loss's.

    Raises
    ------
    NotApplicable
    The author does not name a loss.
    """
    if subject.loss is None:
        raise NotApplicable(
            "need_top_grad = False: the gradient is not the derivative of the output; specify the "
            "loss that it belongs to: {'loss': function}"
        )
    rng = np.random.default_rng(subject.seed)
    for sample, wanted in samples:
        # Random head gradients reveal operators that multiply by them.
        gradients = subject.gradients(sample, "float64", wanted)
        directions = [rng.standard_normal(gradient.shape) for gradient in gradients]
        pairs = zip(gradients, directions, strict=True)
        analytic = sum(float((gradient * way).sum()) for gradient, way in pairs)
        ways = dict(zip(wanted, directions, strict=True))
        numeric = (_loss(subject, sample, ways, _STEP) - _loss(subject, sample, ways, -_STEP)) / (
            2 * _STEP
        )
        if not (abs(analytic - numeric) <= _ATOL + _RTOL * max(abs(analytic), abs(numeric))):
            raise AssertionError(
                f"{sample}: along a random direction the gradient is {analytic:.9g}, but the loss "
                f"changes by {numeric:.9g}"
            )
    return len(samples)


def _loss(
    subject: OperatorSubject, sample: Sample, ways: dict[int, np.ndarray], step: float
) -> float:
    """Return the author's loss after a step of the inputs along their directions."""
    assert subject.loss is not None
    arrays = sample.arrays("float64")
    for position, way in ways.items():
        arrays[position] = arrays[position] + step * way
    return float(np.sum(subject.loss(*arrays, **sample.attributes)))
