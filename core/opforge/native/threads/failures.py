"""Exceptions that tasks raised: what the engine keeps of one, and what a wait raises.

What is raised refers to the frames that it passes, thereby to their arrays, and these to the
exception that is stored on them: were it the same one, they would keep each other alive. So waits
raise copies.
"""

from collections.abc import Callable
from copy import copy
from types import TracebackType
from typing import Any

from .tracebacks import detach

__all__ = ["kept", "twin"]

#: An exception and the traceback of the task's author.
Stored = tuple[BaseException, TracebackType | None]

#: Name under which a raised copy knows what it is a copy of.
_STORED = "_opforge_stored"


def kept(error: BaseException, fn: Callable[[], Any], place: str) -> Stored:
    """Return what to store of `error`, which the task `fn`, pushed at `place`, raised."""
    stored: Stored | None = error.__dict__.get(_STORED)  # of the task where it was raised first
    if stored is None:
        name = getattr(fn, "__qualname__", None) or repr(fn)
        detach(error)
        error.add_note(f"raised in the engine task {name!r} pushed at {place}")
        stored = (error, error.__traceback__)
    return stored


def twin(stored: Stored) -> BaseException:
    """Return a copy of the stored exception to raise, with the author's traceback."""
    exception, trace = stored
    try:
        made: Any = copy(exception)
    except Exception:
        made = None
    if type(made) is not type(exception):  # its constructor takes something else than its `args`
        made = type(exception).__new__(type(exception), *exception.args)
        made.__dict__.update(exception.__dict__)
    made.__cause__, made.__context__ = exception.__cause__, exception.__context__
    made.__suppress_context__ = exception.__suppress_context__
    made.__notes__ = list(exception.__notes__)
    made.__dict__[_STORED] = stored
    twin_of: BaseException = made.with_traceback(trace)
    return twin_of
