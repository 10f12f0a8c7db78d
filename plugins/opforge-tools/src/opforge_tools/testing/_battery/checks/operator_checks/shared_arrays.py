"""Arrays in attributes of classes and in modules, which all calls of an operator share."""

import sys
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from opforge.base.context import cpu
from opforge.ndarray import NDArray

from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ...subjects.variants import reversed_inputs
from .determinism import results_of

__all__ = ["expect_no_shared_arrays"]


def expect_no_shared_arrays(subject: OperatorSubject, sample: Sample) -> None:
    """Raise if calls with other values change arrays that all calls share.

    Calls on several threads overwrite such memory, but rarely at the moment that shows it.
    """
    if subject.how != "operator":
        return
    owners = list(_owners(subject, sample))
    found = []
    for one in (sample, reversed_inputs(subject, sample)):
        results_of(subject, one)
        found.append({path: values for owner in owners for path, values in _arrays(*owner)})
    before, after = found
    for path in sorted(before.keys() & after.keys()):
        if not np.array_equal(before[path], after[path]):
            raise AssertionError(
                f"{sample}: calls with other values change the array {path}, which all calls "
                "share; keep data of a call in the operator object"
            )


def _owners(subject: OperatorSubject, sample: Sample) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the author's classes of the declaration and of its operator, and their modules."""
    inferred = subject.inferred(sample, subject.dtype)
    shapes = [list(shape) for shape in (*inferred.in_shapes, *inferred.aux_shapes)]
    codes = [*inferred.in_codes, *inferred.aux_codes]
    operator = subject.prop(sample).create_operator(cpu(), shapes, codes)
    classes = dict.fromkeys([*type(operator).__mro__, *subject.prop_class.__mro__])
    own = [
        cls for cls in classes if cls.__module__.partition(".")[0] not in ("opforge", "builtins")
    ]
    for cls in own:
        yield cls.__qualname__, vars(cls)
    for name in dict.fromkeys(cls.__module__ for cls in own):
        yield name, vars(sys.modules[name]) if name in sys.modules else {}


def _arrays(owner: str, values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the path and a copy of each array, also of those in lists and dictionaries."""
    for name, value in list(values.items()):
        path = f"{owner}.{name}"
        if isinstance(value, dict):
            parts = {f"{path}[{key!r}]": item for key, item in list(value.items())}
        elif isinstance(value, (list, tuple)):
            parts = {f"{path}[{at}]": item for at, item in enumerate(value)}
        else:
            parts = {path: value}
        for part, item in parts.items():
            if isinstance(item, NDArray):
                yield part, item.asnumpy()
            elif isinstance(item, np.ndarray):
                yield part, item.copy()
