"""Check of the auxiliary states that a training step leaves, against the reference or float64.

A reference that returns arrays after the outputs returns the states after a call in training mode.
Without one, only errors are found that no momentum and no statistic of a batch can have.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from opforge.base.errors import AttributeValueError, OpforgeError
from opforge.op.declaring.declaration import OperatorProp

from ...subjects.generation import REFUSALS
from ...subjects.rebatching import candidates
from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ..check import NotApplicable, Remark, Unwise
from .agreement import AS_GIVEN, compare_arrays, compared_types, expected_states

__all__ = ["check_states"]

_MOMENTUM = "momentum"
#: Weights of the former state to compare.
_WEIGHTS = (0.25, 0.75)
#: Repetitions of a batch: with these, divisors n and n - 1 of a variance hardly differ.
_REPETITIONS = (32, 64)
#: Accepted relative difference between the changes of a state by a batch and by two copies of it.
_SPREAD = 0.1


def check_states(subject: OperatorSubject) -> Remark:
    """Compare the states after a training step in each dtype.

    Raises
    ------
    Unwise
        The reference returns no states, and they change unlike running averages.
    """
    samples = [sample for sample in subject.samples if subject.n_states(sample)]
    if not samples:
        raise NotApplicable("it has no auxiliary states")
    compared = [_compare_types(subject, sample) for sample in samples]
    if all(compared):
        return Remark(len(samples))
    doubts = list(_expect_running_averages(subject, samples))
    if doubts:
        raise Unwise(doubts[0])
    return Remark(
        len(samples),
        "the states after training were not compared: let the reference return them after the "
        "outputs",
    )


def _compare_types(subject: OperatorSubject, sample: Sample) -> bool:
    """Compare with the reference, else with float64; return whether the reference was used."""
    is_from_reference = False
    for dtype in compared_types(subject):
        try:
            states = subject.trained_states(sample, dtype)
        except REFUSALS:
            if dtype in subject.dtypes:
                raise
            continue
        rounded = replace(sample, inputs=sample.arrays(dtype))
        expected = expected_states(subject, rounded)
        is_from_reference = expected is not None
        if expected is None:
            expected = subject.trained_states(rounded, "float64")
        names = subject.prop(sample).list_auxiliary_states()
        for name, state, want in zip(names, states, expected, strict=True):
            where = f"{sample}, dtype {dtype}: after training, auxiliary state {name!r}"
            compare_arrays(state, want, 0.0, subject.tolerances[dtype], AS_GIVEN, where)
    return is_from_reference


def _expect_running_averages(subject: OperatorSubject, samples: list[Sample]) -> Iterator[str]:
    """Raise if the momentum has no effect; yield what is unusual for running averages."""
    pairs = [(sample, *_with_weights(subject, sample)) for sample in samples]
    pairs = [pair for pair in pairs if len(pair) > 1]
    if not pairs:
        return
    names = ", ".join(map(repr, subject.prop(samples[0]).list_auxiliary_states()))
    moves = [[_moves(subject, one) for one in pair[1:]] for pair in pairs]
    if not any(np.any(one) for pair in moves for one in pair):
        raise AssertionError(
            f"{pairs[0][0]}: training does not change the auxiliary states {names}, although there "
            f"is an attribute {_MOMENTUM!r}"
        )
    if all(np.array_equal(*pair) for pair in moves):
        raise AssertionError(
            f"{pairs[0][0]}: with momentum={_WEIGHTS[0]} and {_WEIGHTS[1]}, training leaves the "
            f"same auxiliary states {names}"
        )
    for (sample, *_), (low, high) in zip(pairs, moves, strict=True):
        if np.linalg.norm(high) > np.linalg.norm(low):
            yield (
                f"{sample}: the greater the momentum, the more training changes the auxiliary "
                f"states {names}; usually it is the weight of the former state. If this is on "
                "purpose, let the reference return the states after the outputs"
            )
        yield from _compare_copies(subject, sample, names)


def _with_weights(subject: OperatorSubject, sample: Sample) -> list[Sample]:
    """Return the sample with each weight as momentum, or nothing if that is not an attribute."""
    if not issubclass(subject.prop_class, OperatorProp):
        return []
    attribute = subject.prop_class.attributes.get(_MOMENTUM)
    try:
        weights = [attribute.parse(weight, "") for weight in _WEIGHTS] if attribute else []
    except AttributeValueError:
        return []
    return [
        replace(sample, attributes={**sample.attributes, _MOMENTUM: weight}) for weight in weights
    ]


def _moves(subject: OperatorSubject, sample: Sample) -> Any:
    """Return the changes of all states by a training step as one vector."""
    states = subject.trained_states(sample, "float64")
    before = sample.arrays("float64")[len(sample.inputs) - len(states) :]
    return np.concatenate(
        [(a.astype("float64") - b).ravel() for a, b in zip(states, before, strict=True)]
    )


def _compare_copies(subject: OperatorSubject, sample: Sample, names: str) -> Iterator[str]:
    """Train on a batch, and on the same batch twice: averages over it are equal."""
    if not sample.shapes[0] or not sample.inputs[0].size or subject.draws(sample):
        return
    rows = sample.shapes[0][0]
    once, twice = (_repeat_rows(subject, sample, rows * times) for times in _REPETITIONS)
    if once is None or twice is None:
        return
    one, two = _moves(subject, once), _moves(subject, twice)
    if np.linalg.norm(two - one) > _SPREAD * np.linalg.norm(one):
        yield (
            f"{sample}: a batch that contains each row twice as often changes the auxiliary states "
            f"{names} {np.linalg.norm(two) / np.linalg.norm(one):.3g} times as much; an average "
            "over the batch would change as before. If this is on purpose, let the reference "
            "return the states after the outputs"
        )


def _repeat_rows(subject: OperatorSubject, sample: Sample, rows: int) -> Sample | None:
    """Return the sample with repeated rows and states of the same shapes, if it is accepted."""
    n_states = subject.n_states(sample)
    for candidate in candidates(sample, rows):
        try:
            inferred = subject.inferred(candidate, subject.dtype)
        except OpforgeError:
            continue
        shapes = [tuple(shape) for shape in inferred.aux_shapes]
        if shapes == candidate.shapes[-n_states:] == sample.shapes[-n_states:]:
            return candidate
    return None
