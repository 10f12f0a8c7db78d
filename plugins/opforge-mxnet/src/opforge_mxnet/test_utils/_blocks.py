"""``with`` blocks around tests: environment variables, and silence; MXNet's names."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opforge import ndarray as nd

__all__ = ["discard_stderr", "environment"]


@contextmanager
def environment(*args: "str | Mapping[str, str | None] | None") -> Iterator[None]:
    """Set environment variables within a ``with`` block and put the old values back after it.

    Parameters
    ----------
    *args : name and value, or a dict of them
        The value None removes the variable.

    Examples
    --------
    >>> with environment("MY_SWITCH", "1"):
    ...     os.environ["MY_SWITCH"]
    '1'
    >>> "MY_SWITCH" in os.environ
    False
    """
    wanted = _wanted(args)
    before = {name: os.environ.get(name) for name in wanted}
    _set(wanted)
    try:
        yield
    finally:
        nd.waitall()  # tasks that were pushed inside run under the variables that they saw
        _set(before)


def _wanted(args: tuple[object, ...]) -> "dict[str, str | None]":
    if len(args) == 1 and isinstance(args[0], Mapping):
        return dict(args[0])
    assert len(args) == 2, f"environment takes a dict, or a name and a value; got {args!r}"
    name, value = args
    assert isinstance(name, str) and (value is None or isinstance(value, str)), (
        f"environment: name and value must be strings, got {args!r}"
    )
    return {name: value}


def _set(values: "Mapping[str, str | None]") -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@contextmanager
def discard_stderr() -> Iterator[None]:
    """Throw away what the process, native code included, writes to standard error in the block."""
    try:
        target = sys.stderr.fileno()
    except (AttributeError, OSError):  # replaced by something that is no file
        yield
        return
    saved = os.dup(target)
    try:
        with open(os.devnull, "wb") as nothing:
            os.dup2(nothing.fileno(), target)
        yield
    finally:
        os.dup2(saved, target)
        os.close(saved)
