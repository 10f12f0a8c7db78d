"""Failures of a load that are none of the plugin: the process had no memory at that moment."""

import errno
from collections.abc import Iterator

__all__ = ["lacked_memory"]

#: What the system's loader says of a shared library that it has no addresses for.
_WORDS = ("failed to map segment", "Cannot allocate memory")


def lacked_memory(error: BaseException) -> bool:
    """Tell whether an exception, or what it came from, says that memory has run out.

    Parameters
    ----------
    error : BaseException
    """
    return any(map(_says_so, _chain(error)))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _says_so(error: BaseException) -> bool:
    if isinstance(error, ImportError):
        return any(words in str(error) for words in _WORDS)
    return isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM
