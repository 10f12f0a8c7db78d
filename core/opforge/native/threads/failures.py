"""Exceptions of tasks: the form the engine stores, and the copies that waits raise.

A raised exception refers to the frames it passes through, hence to their arrays, and these to the
exception stored on them. If it were the same object, they would keep each other alive; therefore
waits raise copies.
"""

from collections.abc import Callable
from copy import copy
from types import TracebackType
from typing import Any

from .tracebacks import detach

__all__ = ["kept", "twin"]

#: An exception and the traceback of the task's author.
Stored = tuple[BaseException, TracebackType | None]

#: Attribute of a raised copy that refers to the stored original.
_STORED = "_opforge_stored"


def kept(error: BaseException, fn: Callable[[], Any], location: str) -> Stored:
    """Return the storable form of `error`, raised by the task `fn` pushed at `location`."""
    stored: Stored | None = error.__dict__.get(_STORED)  # from the task that raised it first
    if stored is None:
        name = getattr(fn, "__qualname__", None) or repr(fn)
        detach(error)
        error.add_note(f"raised in the engine task {name!r} pushed at {location}")
        stored = (error, error.__traceback__)
    return stored


def twin(stored: Stored) -> BaseException:
    """Return a copy of the stored exception to raise, with the author's traceback."""
    exception, trace = stored
    try:
        made: Any = copy(exception)
    except Exception:
        made = None
    if type(made) is not type(exception):  # its constructor does not accept its `args`
        made = type(exception).__new__(type(exception), *exception.args)
        made.__dict__.update(exception.__dict__)
    made.__cause__, made.__context__ = exception.__cause__, exception.__context__
    made.__suppress_context__ = exception.__suppress_context__
    made.__notes__ = list(exception.__notes__)
    made.__dict__[_STORED] = stored
    twin_of: BaseException = made.with_traceback(trace)
    return twin_of
