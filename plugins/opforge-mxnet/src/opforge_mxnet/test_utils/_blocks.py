"""Context managers for tests, under MXNet's names: environment variables, discarded stderr."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opforge import ndarray as nd

__all__ = ["discard_stderr", "environment"]


@contextmanager
def environment(*args: "str | Mapping[str, str | None] | None") -> Iterator[None]:
    """Set environment variables for a ``with`` block and restore the old values afterwards.

    Parameters
    ----------
    *args : str and (str or None), or dict of str to (str or None)
        A name and a value, or a dict of them. The value None removes the variable.

    Examples
    --------
    >>> with environment("MY_SWITCH", "1"):
    ...     os.environ["MY_SWITCH"]
    '1'
    >>> "MY_SWITCH" in os.environ
    False
    """
    wanted = _wanted_variables(args)
    before = {name: os.environ.get(name) for name in wanted}
    _set_variables(wanted)
    try:
        yield
    finally:
        nd.waitall()  # tasks pushed in the block must not see the restored values
        _set_variables(before)


def _wanted_variables(args: tuple[object, ...]) -> "dict[str, str | None]":
    if len(args) == 1 and isinstance(args[0], Mapping):
        return dict(args[0])
    assert len(args) == 2, f"environment: got {args!r}; expected a dict, or a name and a value"
    name, value = args
    assert isinstance(name, str) and (value is None or isinstance(value, str)), (
        f"environment: got {args!r}; expected a string as name, and a string or None as value"
    )
    return {name: value}


def _set_variables(values: "Mapping[str, str | None]") -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@contextmanager
def discard_stderr() -> Iterator[None]:
    """Discard everything the process, including native code, writes to stderr in the block."""
    try:
        target = sys.stderr.fileno()
    except (AttributeError, OSError):  # replaced by an object without a file descriptor
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
