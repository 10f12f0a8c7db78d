"""Errors that name an operator: wrapping of authors' exceptions.

An author's exception becomes an `OperatorError` whose own traceback still ends at the author's
line. Callers catch ``Exception``, so KeyboardInterrupt and SystemExit never come here.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...base.errors import (
    AttributeValueError,
    DTypeError,
    OperatorError,
    OperatorMemoryError,
    ShapeError,
    named_as_in_mxnet,
)

__all__ = [
    "OperatorAttributeError",
    "OperatorDTypeError",
    "OperatorShapeError",
    "attribute_error",
    "operator_error",
    "origin",
    "shapes_text",
    "was_checked_here",
    "wrapping",
]


@named_as_in_mxnet
class OperatorShapeError(OperatorError, ShapeError):
    """An operator's own code found that a shape does not fit."""


@named_as_in_mxnet
class OperatorDTypeError(OperatorError, DTypeError):
    """An operator's own code found that an element type does not fit."""


@named_as_in_mxnet
class OperatorAttributeError(OperatorError, AttributeValueError):
    """An operator's own code refused the value of an attribute."""


#: What the author raised -> what the user catches: both the one and an `OperatorError`.
_CLASSES: tuple[tuple[type[Exception], type[OperatorError]], ...] = (
    (ShapeError, OperatorShapeError),
    (DTypeError, OperatorDTypeError),
    (AttributeValueError, OperatorAttributeError),
    (MemoryError, OperatorMemoryError),
)


def operator_error(
    entry: Any, stage: str, shapes: Sequence[Any] | None, error: Exception
) -> OperatorError:
    """Return the error to raise, ``from error``, for an exception out of an operator's code.

    Parameters
    ----------
    entry : Entry or str
        The operator, or its bare name.
    stage : str
        The author's method, for instance ``"forward"``.
    shapes : sequence of shapes, optional
        Shapes of the inputs, where they are known by then.
    error : Exception
        What the author's code raised.

    Returns
    -------
    OperatorError
        Also a `ShapeError`, `DTypeError`, `AttributeValueError` or `MemoryError` if the author
        raised one.

    Examples
    --------
    >>> print(operator_error("scale", "forward", [(2, 3)], ValueError("no")))
    operator 'scale' raised ValueError in forward: no (input shapes: (2, 3))
    """
    name = getattr(entry, "name", entry)
    kind = next((ours for theirs, ours in _CLASSES if isinstance(error, theirs)), OperatorError)
    known = "" if shapes is None else f" (input shapes: {shapes_text(shapes)})"
    text = str(error).removeprefix(f"operator {name!r}: ") or "no message"
    wrapped = kind(
        f"{origin(entry)} raised {type(error).__qualname__} in {stage}: {text}{known}",
        operator=str(name),
        provider=str(getattr(entry, "provider_text", "")),
    )
    # The first frame is the one that caught it; the rest leads to the author's line.
    trace = error.__traceback__
    return wrapped.with_traceback(trace.tb_next or trace if trace else None)


def origin(entry: Any) -> str:
    """Return who an operator is, as errors begin: name, plugin and version."""
    if isinstance(entry, str):
        return f"operator {entry!r}"
    return f"operator {entry.name!r} ({entry.origin_text})"


def shapes_text(shapes: Sequence[Any]) -> str:
    """Return shapes for a message; those not known are "unknown"."""
    words = [str(tuple(shape)) if shape else "unknown" for shape in shapes]
    return ", ".join(words) if words else "none"


@contextmanager
def wrapping(entry: Any, stage: str, shapes: Sequence[Any] | None) -> Iterator[None]:
    """Raise what the block raises as an `OperatorError` from it; see `operator_error`.

    For what runs once per shapes: the call path has its own.
    """
    try:
        yield
    except Exception as error:
        raise operator_error(entry, stage, shapes, error) from error


def attribute_error(entry: Any, error: AttributeValueError) -> AttributeValueError:
    """Return the error of a typed attribute's own check with the operator's origin before it."""
    text = str(error)
    return error if text.startswith("operator ") else type(error)(f"{origin(entry)}: {text}")


def was_checked_here(error: Exception) -> bool:
    """Tell whether opforge's own check raised an exception, and not the author's code."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and os.path.dirname(trace.tb_frame.f_code.co_filename) == _OWN


#: Where the checks of attributes stand.
_OWN = os.path.dirname(__file__)
