"""Tracebacks that keep nothing alive: file, line and function of each frame, without variables.

A frame refers to its function, a function to its closure, and the closure of a failed task to the
arrays on which its exception is stored. Such a cycle passes through the engine, where Python's
garbage collector cannot follow it, so stored exceptions must not refer to real frames.
"""

from collections.abc import Iterator
from types import CodeType, FrameType, FunctionType, TracebackType

__all__ = ["detach"]


def _frame_of_generator() -> Iterator[None]:
    yield


def detach(error: BaseException) -> None:
    """Replace the tracebacks of `error` and its causes by ones without variables.

    Parameters
    ----------
    error : BaseException
        Modified in place: its tracebacks name the same files, lines and functions only.

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
    frames = []
    while trace is not None:
        frames.append((trace.tb_frame.f_code, trace.tb_frame.f_globals, trace.tb_lineno))
        trace = trace.tb_next
    result = None
    for code, scope, line in reversed(frames):
        result = TracebackType(result, _bare_frame(code, scope.get("__name__"), line), -1, line)
    return result


def _bare_frame(code: CodeType, module: object, line: int) -> FrameType:
    """Return a frame that has the name and file of `code`, has not run and has no caller.

    Only a generator that has not started has such a frame.
    """
    twin = _frame_of_generator.__code__.replace(
        co_filename=code.co_filename,
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_firstlineno=max(line, 1),
    )
    frame: FrameType = FunctionType(twin, {"__name__": module})().gi_frame
    return frame
