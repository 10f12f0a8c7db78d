"""Errors that name an operator, and wrapping of exceptions from its code.

An exception from an author's code becomes an `OperatorError` whose traceback ends at the author's
line. Callers catch ``Exception``, so KeyboardInterrupt and SystemExit are not wrapped.
"""

import os
from collections.abc import Sequence
from typing import Any

from ...base.errors import (
    AttributeValueError,
    ContextError,
    DTypeError,
    OperatorError,
    OperatorMemoryError,
    ShapeError,
    named_as_in_mxnet,
)

__all__ = [
    "OperatorAttributeError",
    "OperatorContextError",
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
    """Wrong shape, reported by an operator's own code."""


@named_as_in_mxnet
class OperatorDTypeError(OperatorError, DTypeError):
    """Wrong element type, reported by an operator's own code."""


@named_as_in_mxnet
class OperatorAttributeError(OperatorError, AttributeValueError):
    """Invalid attribute value, reported by an operator's own code."""


@named_as_in_mxnet
class OperatorContextError(OperatorError, ContextError):
    """Device that an operator does not support."""


#: Exception of the author -> exception for the user, which is also an `OperatorError`.
_CLASSES: tuple[tuple[type[Exception], type[OperatorError]], ...] = (
    (ShapeError, OperatorShapeError),
    (DTypeError, OperatorDTypeError),
    (AttributeValueError, OperatorAttributeError),
    (ContextError, OperatorContextError),
    (MemoryError, OperatorMemoryError),
)


def operator_error(
    entry: Any, stage: str, shapes: Sequence[Any] | None, error: Exception
) -> OperatorError:
    """Return the error to raise, ``from error``, for an exception from an operator's code.

    Parameters
    ----------
    entry : Entry or str
        The operator, or its name.
    stage : str
        The author's method, for instance ``"forward"``.
    shapes : sequence of shapes, optional
        Shapes of the inputs, if known.
    error : Exception
        Exception of the author's code.

    Returns
    -------
    OperatorError
        Also a `ShapeError`, `DTypeError`, `AttributeValueError`, `ContextError` or `MemoryError`
        if the author raised one.

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
    # Skip the first frame, which caught the exception.
    trace = error.__traceback__
    return wrapped.with_traceback(trace.tb_next or trace if trace else None)


def origin(entry: Any) -> str:
    """Return the start of an error message: name, plugin and version of the operator."""
    if isinstance(entry, str):
        return f"operator {entry!r}"
    return f"operator {entry.name!r} ({entry.origin_text})"


def shapes_text(shapes: Sequence[Any]) -> str:
    """Return shapes for a message, with "unknown" for unknown ones."""
    words = [str(tuple(shape)) if shape else "unknown" for shape in shapes]
    return ", ".join(words) if words else "none"


class wrapping:
    """Context that converts exceptions of its block to an `OperatorError`; see `operator_error`.

    For code that runs once per shapes; the call path does this itself.
    """

    def __init__(self, entry: Any, stage: str, shapes: Sequence[Any] | None) -> None:
        self._origin = entry, stage, shapes

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, Exception):
            raise operator_error(*self._origin, error) from error


def attribute_error(entry: Any, error: AttributeValueError) -> AttributeValueError:
    """Return the error of an attribute's check, prefixed with the operator's origin."""
    text = str(error)
    return error if text.startswith("operator ") else type(error)(f"{origin(entry)}: {text}")


def was_checked_here(error: Exception) -> bool:
    """Return whether an exception was raised by opforge's checks, not by the author's code."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and os.path.dirname(trace.tb_frame.f_code.co_filename) == _OWN


#: Folder of the checks of attributes.
_OWN = os.path.dirname(__file__)
