"""Memory checks: inputs are unchanged, results own their memory, inputs may be the same array."""

from typing import Any

import numpy as np

from opforge import autograd
from opforge import ndarray as nd

from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ..check import NotApplicable

__all__ = ["check_aliasing", "check_mutation"]


def check_mutation(subject: OperatorSubject) -> int:
    """Check that forward and backward leave inputs unchanged and results own their memory."""
    for sample in subject.samples:
        arrays = subject.arrays(sample, subject.dtype)
        before = [array.asnumpy() for array in arrays]
        count = len(arrays) - subject.n_states(sample)
        _train(subject, sample, arrays)
        _compare(arrays[:count], before, f"{sample}: forward and backward changed input")
        arrays = subject.arrays(sample, subject.dtype)
        results = subject.call(nd, sample, arrays)
        _compare(arrays, before, f"{sample}: a prediction changed input")
        if not _may_share(subject):
            for result in results:
                result[:] = 0
            _compare(arrays, before, f"{sample}: writing into a result changed input")
    return len(subject.samples)


def _train(subject: OperatorSubject, sample: Sample, arrays: list[Any]) -> None:
    """Run forward and backward; the arrays passed to backward must not change."""
    for position in subject.wanted(sample):
        arrays[position].attach_grad()
    with autograd.record():
        results = subject.call(nd, sample, arrays)
        # A sum passes the same gradient array to both of its terms.
        terms = [nd.zeros_like(result) for result in results]
        for term in terms:
            term.attach_grad()
        sums = [result + term for result, term in zip(results, terms, strict=True)]
    if not (subject.differentiable and subject.wanted(sample)):
        return
    states = arrays[len(arrays) - subject.n_states(sample) :]
    kept, moved = ([array.asnumpy() for array in group] for group in (results, states))
    heads = subject.heads(sums)
    autograd.backward(sums, heads)
    _compare(results, kept, f"{sample}: backward changed output")
    if not subject.states_in_backward:
        _compare(states, moved, f"{sample}: backward changed auxiliary state")
    gradients = [term.grad for term in terms]
    wanted = [head.asnumpy() for head in subject.heads(sums)]
    _compare(heads, wanted, f"{sample}: backward changed the gradient of output")
    _compare(gradients, wanted, f"{sample}: backward changed the gradient of output")


def check_aliasing(subject: OperatorSubject) -> int:
    """Pass one array as two inputs; results must equal those of two equal arrays."""
    count = 0
    for sample in subject.samples:
        for first, second in _pairs(subject, sample):
            inputs = list(sample.arrays(subject.dtype))
            inputs[second] = inputs[first]
            apart = [nd.array(item, dtype=item.dtype) for item in inputs]
            once = list(apart)
            want = [item.asnumpy() for item in subject.call(nd, sample, apart)]
            once[second] = once[first]
            have = [item.asnumpy() for item in subject.call(nd, sample, once)]
            for position, (a, b) in enumerate(zip(have, want, strict=True)):
                np.testing.assert_array_equal(
                    a,
                    b,
                    err_msg=f"{sample}: output {position} differs if inputs {first} and "
                    f"{second} are the same array",
                )
            count += 1
    if not count:
        raise NotApplicable("no two inputs have the same shape")
    return count


def _compare(arrays: list[Any], before: list[Any], what: str) -> None:
    for position, (array, old) in enumerate(zip(arrays, before, strict=False)):
        if not np.array_equal(array.asnumpy(), old, equal_nan=old.dtype.kind == "f"):
            raise AssertionError(f"{what} {position}")


def _may_share(subject: OperatorSubject) -> bool:
    named = getattr(subject.prop_class, "named_attribute", lambda key: None)
    return bool(named("FInplaceIdentity"))


def _pairs(subject: OperatorSubject, sample: Sample) -> list[tuple[int, int]]:
    """Return the pairs of arguments that can be the same array."""
    wanted, shapes = subject.wanted(sample), sample.shapes
    return [(a, b) for a in wanted for b in wanted if a < b and shapes[a] == shapes[b]]
