"""Backward reads only what its declaration says: `saves`, or ``declare_backward_dependency``.

What it does not name may be freed or overwritten before backward runs.
"""

from typing import Any

import numpy as np

from opforge import ndarray as nd

from ...subjects.subject import OperatorSubject
from ..check import NotApplicable
from .requests import Backward, Groups

__all__ = ["check_saved_arrays"]

#: In the place of what is not to be read; numbers without NaN are spoiled as well.
_SPOILED = 77


def check_saved_arrays(subject: OperatorSubject) -> int:
    """Spoil what the declaration does not name: the gradients must stay as they were."""
    if not subject.has_backward:
        raise NotApplicable("its gradient is made of operators: it gets nothing else")
    if not subject.differentiable:
        raise NotApplicable("differentiable = False: nothing flows back")
    count = 0
    for sample in subject.samples:
        work = Backward(subject, sample)
        spoiled: list[str] = []

        def spoil(groups: Groups, prop: Any = work.prop, names: list[str] = spoiled) -> Groups:
            return _spoil(groups, prop, names)

        req = ["write"] * work.n_results
        have, want = work.results(req), work.results(req)
        work.run(req, want, work.inputs())
        work.run(req, have, work.inputs(), spoil)
        for position, (a, b) in enumerate(zip(have, want, strict=True)):
            np.testing.assert_array_equal(
                a.asnumpy(),
                b.asnumpy(),
                err_msg=f"{sample}: gradient of input {position} needs some of "
                f"{', '.join(spoiled)}, which the declaration does not name",
            )
        count += bool(spoiled)
    if not count:
        raise NotApplicable("the declaration names all arrays")
    return count


def _spoil(groups: Groups, prop: Any, names: list[str]) -> Groups:
    """Return the groups with other arrays where backward is said to read none."""
    heads, inputs, outputs = groups
    arrays = [*heads, *inputs, *outputs]
    titles = [f"gradient of output {n}" for n in range(len(heads))]
    titles += [*prop.list_arguments(), *prop.list_outputs()]
    first, last = len(heads), len(heads) + len(inputs)
    ids = list(range(len(arrays)))
    named = set(prop.declare_backward_dependency(ids[:first], ids[first:last], ids[last:]))
    names += [titles[at] for at in ids if at not in named]
    given = [
        array if at in named else nd.full(array.shape, _SPOILED, dtype=array.dtype)
        for at, array in enumerate(arrays)
    ]
    return given[:first], given[first:last], given[last:]
