"""Detection of out-of-memory errors, and naming of the operator in which they occur."""

import errno
from collections.abc import Iterator

from .errors import OperatorMemoryError

__all__ = ["lacked_memory", "named_out_of_memory"]

#: Messages of the system's loader if a shared library does not fit the address space.
_WORDS = ("failed to map segment", "Cannot allocate memory")


def lacked_memory(error: BaseException) -> bool:
    """Return whether an exception, or one of its causes, reports that memory has run out.

    Parameters
    ----------
    error : BaseException
    """
    return any(map(_reports_it, _chain(error)))


def named_out_of_memory(operator: str, stage: str, error: MemoryError) -> OperatorMemoryError:
    """Return the error to raise, ``from error``, for a failed allocation in an operator.

    Parameters
    ----------
    operator : str
        Registered name.
    stage : str
        ``"forward"`` or ``"backward"``.
    error : MemoryError
        Returned unchanged if it already names an operator.

    Examples
    --------
    >>> print(named_out_of_memory("exp", "forward", MemoryError("cannot allocate 8 bytes")))
    operator 'exp' ran out of memory in forward: cannot allocate 8 bytes
    """
    if isinstance(error, OperatorMemoryError):
        return error
    text = str(error) or "Python could not allocate an object"
    return OperatorMemoryError(
        f"operator {operator!r} ran out of memory in {stage}: {text}", operator=operator
    )


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _reports_it(error: BaseException) -> bool:
    if isinstance(error, ImportError):
        return any(words in str(error) for words in _WORDS)
    return isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM
