"""Warnings about surprising results that MXNet returns silently, once per process and cause.

Callers on a hot path check `told` before they call `warn_of`.
"""

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["program_level", "program_line", "silenced", "told", "warn_of"]

#: Frames between the operator and the line of the program that calls it.
_OWN = (os.path.dirname(os.path.dirname(__file__)) + os.sep, "<function of operator ")

_TEXTS = {
    "division": (
        "division of integer arrays: the result keeps their type and is truncated, as in "
        "MXNet 1.x. To keep fractions, write x.astype('float32') / y"
    ),
    "fraction": (
        "integer array combined with the fraction {0}: the result keeps the array's type and is "
        "truncated, as in MXNet 1.x. To keep fractions, convert the array first: "
        "x.astype('float32')"
    ),
    "labels": (
        "operator '{0}': class label {1} is not in [0, {2}); the nearest class is used instead "
        "(SoftmaxOutput uses none), as in MXNet 1.x. Check the labels and the number of outputs "
        "of the last layer; to ignore samples, use ignore_label, sample_weight or use_ignore"
    ),
    "index": (
        "an array of shape {0} is used as an integer index; arrays of one element are converted. "
        "Write int(x.asscalar())"
    ),
}

#: Causes for which this process has issued its warning.
told: set[str] = set()


def warn_of(cause: str, *details: object) -> None:
    """Issue the warning of a cause, unless this process has issued it before.

    Parameters
    ----------
    cause : {"division", "fraction", "labels", "index"}
    *details
        Values for the message.
    """
    if cause not in told:
        told.add(cause)
        warnings.warn(_TEXTS[cause].format(*details), UserWarning, stacklevel=program_level())


@contextmanager
def silenced() -> Iterator[None]:
    """Suppress these warnings in the block, for checks that use such values on purpose."""
    before = set(told)
    told.update(_TEXTS)
    try:
        yield
    finally:
        told.intersection_update(before)


def program_level() -> int:
    """Return the ``stacklevel`` of the program's own frame, counted from the caller."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OWN):
        level, frame = level + 1, frame.f_back
    return level


def program_line() -> str:
    """Return the file and line of the program's own frame, such as ``"train.py", line 3``."""
    frame = sys._getframe(program_level() - 1)
    return f'"{frame.f_code.co_filename}", line {frame.f_lineno}'
