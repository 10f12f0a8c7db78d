"""Warnings of results that surprise and that MXNet gives silently: once per process and cause.

Callers on a hot path look into `told` before they call `warn_of`.
"""

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["program_level", "silenced", "told", "warn_of"]

#: Functions of operators and methods of arrays stand between a call and its line in the program.
_OWN = (os.path.dirname(os.path.dirname(__file__)) + os.sep, "<function of operator ")

_TEXTS = {
    "division": (
        "arrays of whole numbers are divided: the result keeps their type and fractions are cut "
        "off, as in MXNet 1.x. For fractions write x.astype('float32') / y"
    ),
    "fraction": (
        "an array of whole numbers meets the fraction {0}: the result keeps the array's type and "
        "fractions are cut off, as in MXNet 1.x. For fractions convert the array first: "
        "x.astype('float32')"
    ),
    "labels": (
        "operator '{0}': class label {1} is not in [0, {2}); the nearest class counts instead, or "
        "none in SoftmaxOutput, as in MXNet 1.x. Check the labels and the number of outputs of "
        "the last layer; mask what is to be ignored by sample_weight, or by use_ignore"
    ),
    "index": (
        "an array of shape {0} is used where Python expects a whole number, and an array of one "
        "element counts as one. Write int(x.asscalar())"
    ),
}

#: The causes that were warned of in this process.
told: set[str] = set()


def warn_of(cause: str, *details: object) -> None:
    """Warn of a silent trap, unless this process was warned of its cause before.

    Parameters
    ----------
    cause : {"division", "fraction", "labels", "index"}
    *details
        What the text names.
    """
    if cause not in told:
        told.add(cause)
        warnings.warn(_TEXTS[cause].format(*details), UserWarning, stacklevel=program_level())


@contextmanager
def silenced() -> Iterator[None]:
    """Warn of nothing in the block, which calls operators for what they do with such values."""
    before = set(told)
    told.update(_TEXTS)
    try:
        yield
    finally:
        told.intersection_update(before)


def program_level() -> int:
    """Return how far up the stack the program is, counted from the caller."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OWN):
        level, frame = level + 1, frame.f_back
    return level
