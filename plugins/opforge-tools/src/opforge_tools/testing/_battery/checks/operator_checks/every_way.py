"""Check that arrays, symbols, hybridized blocks and loaded graphs give the same results."""

from typing import Any

from ...._ways import check_ways
from ...subjects.subject import OperatorSubject

__all__ = ["check_every_way"]

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
