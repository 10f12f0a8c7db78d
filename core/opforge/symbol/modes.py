"""Modes in which a thread composes graphs."""

import threading
from contextlib import AbstractContextManager

from ..base.thread_values import assigned

__all__ = ["composing_arrays", "modes"]


class Modes(threading.local):
    """Modes of one thread; see `composing_arrays` and `composition.expanding`."""

    stands_for_arrays = expands = predicts = False


modes = Modes()


def composing_arrays() -> AbstractContextManager[object]:
    """Return a context for code that is written for arrays and for symbols.

    In it, symbols of a single output are indexed, iterated and measured like the array for which
    they stand, and not like a list of one output.
    """
    return assigned(modes, stands_for_arrays=True)
