"""Distinction between Ctrl-C and a KeyboardInterrupt that a plugin's code raises."""

import dis

__all__ = ["was_raised_by_code"]


def was_raised_by_code(error: BaseException) -> bool:
    """Return whether a ``raise`` statement raised an exception; signal handlers do not use one.

    Parameters
    ----------
    error : BaseException

    Examples
    --------
    >>> try:
    ...     raise KeyboardInterrupt
    ... except KeyboardInterrupt as error:
    ...     was_raised_by_code(error)
    True
    """
    trace = error.__traceback__
    if trace is None:
        return False
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code.co_code
    return dis.opname[code[trace.tb_lasti]] == "RAISE_VARARGS"
