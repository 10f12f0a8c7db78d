"""Checks that all execution paths give the same results, and graphs that run again too."""

from typing import Any

from ...._running import Problem, imperative, is_graphable, repeated
from ...._ways import check_ways, compare_runs
from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ...subjects.variants import reversed_inputs
from ..check import NotApplicable

__all__ = ["check_every_way", "check_repeated_graphs"]

_RTOL, _ATOL = 1e-10, 1e-12


def check_every_way(subject: OperatorSubject) -> int:
    """Compare the outputs, gradients and states of all execution paths."""
    for sample in subject.samples:

        def function(F: Any, *inputs: Any, sample: Any = sample) -> Any:
            return subject.call(F, sample, inputs)

        arrays = sample.arrays("float64")
        count = len(arrays) - subject.n_states(sample)
        try:
            check_ways(
                function,
                arrays[:count],
                states=arrays[count:],
                wanted=subject.wanted(sample),
                rtol=_RTOL,
                atol=_ATOL,
                seed=subject.seed,
            )
        except AssertionError as error:
            raise AssertionError(f"{sample}: {error}") from error
    return len(subject.samples)


def check_repeated_graphs(subject: OperatorSubject) -> int:
    """Run one executor with other values, which reveals data that an operator object keeps."""
    count = 0
    for sample in subject.samples:
        other = reversed_inputs(subject, sample)
        if all((a == b).all() for a, b in zip(sample.inputs, other.inputs, strict=True)):
            continue
        problems = [_problem(subject, one) for one in (sample, other, sample)]
        wanted = [imperative(problem) for problem in problems]
        if not all(is_graphable(*pair) for pair in zip(problems, wanted, strict=True)):
            continue
        for number, (have, want) in enumerate(zip(repeated(problems), wanted, strict=True), 1):
            where = f"{sample}: one executor with other values: call {number}"
            compare_runs(have, want, where, _RTOL, _ATOL)
        count += 1
    if not count:
        raise NotApplicable("no sample has other values in reverse order")
    return count


def _problem(subject: OperatorSubject, sample: Sample) -> Problem:
    return Problem(
        lambda F, *inputs: subject.call(F, sample, inputs),
        sample.arrays("float64"),
        subject.n_states(sample),
        subject.wanted(sample),
        train=True,
        seed=subject.seed,
    )
