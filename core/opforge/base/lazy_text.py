"""`LazyText`: an error message that is formatted when it is read.

Layer 0. Programs look up names that may not exist (`hasattr`), and most of the resulting errors are
never printed.
"""

from functools import partial

__all__ = ["LazyText"]


class LazyText(partial[str]):
    """Text that a function computes each time it is read.

    Parameters
    ----------
    make : callable
    *args
        Its arguments.

    Examples
    --------
    >>> str(LazyText("made {}".format, "now"))
    'made now'
    """

    # The base class is written in C: creating an instance takes 0.1 us.
    __slots__ = ()

    def __str__(self) -> str:
        return self()

    def __repr__(self) -> str:
        return repr(self())

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (self(),)
