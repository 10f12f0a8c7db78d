"""Tracebacks that keep nothing alive: the places where an exception passed, without the variables.

A frame keeps its function, the function what it closes over, and a task that failed closes over the
arrays that its exception is stored on. Such a circle leads through the engine, where Python's
collector cannot follow it, so that what is stored must not have frames with contents.
"""

from collections.abc import Iterator
from types import CodeType, FrameType, FunctionType, TracebackType

__all__ = ["detach"]


def _place() -> Iterator[None]:
    yield


def detach(error: BaseException) -> None:
    """Replace the tracebacks of `error` and of all that led to it by ones without variables.

    Parameters
    ----------
    error : BaseException
        Is changed: its tracebacks name the same files, lines and functions, and nothing else.

    Examples
    --------
    >>> def fail(secret):
    ...     raise ValueError("boom")
    >>> try:
    ...     fail("value")
    ... except ValueError as caught:
    ...     detach(caught)
    ...     last = caught.__traceback__.tb_next
    >>> last.tb_frame.f_code.co_name, "secret" in last.tb_frame.f_locals
    ('fail', False)
    """
    linked = [error]
    for one in linked:
        one.__traceback__ = _without_variables(one.__traceback__)
        for other in (one.__cause__, one.__context__):
            if other is not None and not any(other is known for known in linked):
                linked.append(other)


def _without_variables(trace: TracebackType | None) -> TracebackType | None:
    places = []
    while trace is not None:
        places.append((trace.tb_frame.f_code, trace.tb_frame.f_globals, trace.tb_lineno))
        trace = trace.tb_next
    result = None
    for code, scope, line in reversed(places):
        result = TracebackType(result, _bare_frame(code, scope.get("__name__"), line), -1, line)
    return result


def _bare_frame(code: CodeType, module: object, line: int) -> FrameType:
    """Return the frame of a function that is called as `code` is and has neither run nor a caller.

    A generator that has not begun is the only one that has such a frame.
    """
    twin = _place.__code__.replace(
        co_filename=code.co_filename,
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_firstlineno=max(line, 1),
    )
    frame: FrameType = FunctionType(twin, {"__name__": module})().gi_frame
    return frame
