"""Scopes: names for a stretch of a program, as MXNet 2 has them."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ..native.threads import spans

__all__ = ["scope"]

_around: ContextVar[str] = ContextVar("opforge.profiler.scope", default="")


@contextmanager
def scope(name: str = "<unk>:", append_mode: bool = True) -> Iterator[str]:
    """Give a stretch of a program a name, under which table and trace have it.

    Parameters
    ----------
    name : str, default "<unk>:"
    append_mode : bool, default True
        Put the names of scopes around it in front.

    Yields
    ------
    str
        The whole name.

    Examples
    --------
    >>> with scope("encoder"), scope("layer0") as name:
    ...     name
    'encoder:layer0:'
    """
    whole = (_around.get() if append_mode else "") + (name if name.endswith(":") else f"{name}:")
    token = _around.set(whole)
    try:
        with spans.Stopwatch(spans.site("scope", whole)):
            yield whole
    finally:
        _around.reset(token)
