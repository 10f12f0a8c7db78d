"""Check that backward reads only declared arrays: `saves` or ``declare_backward_dependency``.

Arrays that are not declared may be freed or overwritten before backward runs.
"""

from typing import Any

import numpy as np

from opforge import ndarray as nd

from ...subjects.subject import OperatorSubject
from ..check import NotApplicable
from .requests import Backward, Groups

__all__ = ["check_saved_arrays"]

#: Replaces values that must not be read; integers, which have no NaN, are also replaced.
_SPOILED = 77


def check_saved_arrays(subject: OperatorSubject) -> int:
    """Overwrite arrays that are not declared; gradients must not change."""
    if not subject.has_backward:
        raise NotApplicable(
            "its gradient is composed of operators: no arrays are passed to backward"
        )
    if not subject.differentiable:
        raise NotApplicable("differentiable = False: no gradient")
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
                err_msg=f"{sample}: gradient of input {position} depends on some of "
                f"{', '.join(spoiled)}, which the declaration does not list",
            )
        count += bool(spoiled)
    if not count:
        raise NotApplicable("the declaration lists all arrays")
    return count


def _spoil(groups: Groups, prop: Any, names: list[str]) -> Groups:
    """Return the groups with arrays replaced that backward must not read."""
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
