"""Scopes: names for sections of a program, as in MXNet 2."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ..native.threads import spans

__all__ = ["scope"]

_prefix: ContextVar[str] = ContextVar("opforge.profiler.scope", default="")


@contextmanager
def scope(name: str = "<unk>:", append_mode: bool = True) -> Iterator[str]:
    """Name a section of a program in the table and the trace.

    Parameters
    ----------
    name : str, default "<unk>:"
    append_mode : bool, default True
        Prepend the names of enclosing scopes.

    Yields
    ------
    str
        The full name.

    Examples
    --------
    >>> with scope("encoder"), scope("layer0") as name:
    ...     name
    'encoder:layer0:'
    """
    full_name = (_prefix.get() if append_mode else "") + name.removesuffix(":") + ":"
    token = _prefix.set(full_name)
    try:
        with spans.Stopwatch(spans.site("scope", full_name)):
            yield full_name
    finally:
        _prefix.reset(token)
