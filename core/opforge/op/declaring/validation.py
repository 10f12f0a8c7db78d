"""Validation of the values that methods of a declaration return: names, shapes, types.

`inference` compares them with the inputs of the operator.
"""

import operator as _operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...base.dtypes import code_of, dtype_of
from ...base.errors import DTypeError, OperatorError, ShapeError
from .errors import operator_error, origin

__all__ = [
    "ROLES",
    "UNKNOWN_TYPE",
    "Names",
    "ShapeTuple",
    "call_method",
    "dtype_text",
    "names_of",
    "validated_code",
    "validated_groups",
    "validated_shape",
]

UNKNOWN_TYPE = -1

ShapeTuple = tuple[int, ...]
Names = tuple[list[str], list[str], list[str]]
#: Types that need no check by the abstract class, which runs Python code.
_LISTS = (list, tuple)
ROLES = ("input", "output", "auxiliary state")


def call_method(
    method: Callable[..., Any], entry: Any, stage: str, shapes: Sequence[Any] | None, *args: Any
) -> Any:
    """Call the author's method; its exceptions become an `OperatorError`."""
    try:
        return method(*args)
    except Exception as error:
        raise operator_error(entry, stage, shapes, error) from error


def names_of(prop: Any, entry: Any) -> Names:
    """Return the names of inputs, outputs and auxiliary states.

    Raises
    ------
    OperatorError
        The author's code raised an exception or did not return a list.
    """
    parts = []
    for method in ("list_arguments", "list_outputs", "list_auxiliary_states"):
        answer = call_method(getattr(prop, method), entry, method, None)
        if type(answer) not in _LISTS and not _is_list(answer):
            raise OperatorError(
                f"{origin(entry)}: {method} returned {answer!r}, expected a list of names"
            )
        parts.append([str(name) for name in answer])
    return parts[0], parts[1], parts[2]


def _is_list(value: Any) -> bool:
    """Return whether a value is a sequence, but not a string."""
    return isinstance(value, Sequence) and not isinstance(value, str)


def validated_groups(answer: Any, entry: Any, stage: str, names: Names) -> list[Sequence[Any]]:
    """Check that `answer` consists of 2 or 3 lists with one element for each name."""
    want = "2 or 3 lists (inputs, outputs and, if there are any, auxiliary states)"
    if type(answer) not in _LISTS and not _is_list(answer):
        raise ShapeError(f"{origin(entry)}: {stage} returned {answer!r}, expected {want}")
    if len(answer) not in (2, 3):
        raise ShapeError(f"{origin(entry)}: {stage} returned {len(answer)} lists, expected {want}")
    groups = [*answer, ()] if len(answer) == 2 else list(answer)
    for group, some, role in zip(groups, names, ROLES, strict=True):
        if type(group) not in _LISTS and not _is_list(group):
            raise ShapeError(
                f"{origin(entry)}: {stage} returned {group!r} for the {role}s, expected a list of "
                f"{len(some)}"
            )
        if len(group) != len(some):
            raise ShapeError(
                f"{origin(entry)}: {stage} returned {len(group)} {role}s, expected {len(some)} "
                f"({', '.join(some) or 'none'}): {list(group)!r}"
            )
    return groups


def validated_shape(value: Any, entry: Any, role: str, name: str) -> ShapeTuple:
    """Return one returned shape as a tuple of ints."""
    if value is None:
        return ()
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        raise ShapeError(
            f"{origin(entry)}: infer_shape returned {value!r} as the shape of {role} {name!r}, "
            f"expected a list of ints; write [{value!r}]"
        )
    dims = []
    for axis, dim in enumerate(value):
        try:
            size = _operator.index(dim)
        except TypeError:
            raise ShapeError(
                f"{origin(entry)}: infer_shape returned {dim!r} ({type(dim).__name__}) as "
                f"dimension {axis} of {role} {name!r}, expected an int; "
                "use // where / made a float"
            ) from None
        if size < 0:
            raise ShapeError(
                f"{origin(entry)}: infer_shape returned {size} as dimension {axis} of {role} "
                f"{name!r}, expected an int >= 0, where 0 means unknown"
            )
        dims.append(size)
    return tuple(dims)


def validated_code(value: Any, entry: Any, role: str, name: str) -> int:
    """Return the code of one returned type."""
    if value is None:
        return UNKNOWN_TYPE
    try:
        return code_of(value)
    except DTypeError as error:
        raise DTypeError(
            f"{origin(entry)}: infer_type returned {value!r} as the type of {role} {name!r}: "
            f"{error}"
        ) from None


def dtype_text(code: int) -> str:
    """Return the name of a type, for messages."""
    return "unknown" if code == UNKNOWN_TYPE else np.dtype(dtype_of(code)).name
