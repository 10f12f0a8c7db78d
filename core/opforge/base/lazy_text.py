"""`LazyText`: the text of an error, made when it is read.

Layer 0. Programs ask for names that may not exist (`hasattr`), and most of the errors that they get
are never printed.
"""

from functools import partial

__all__ = ["LazyText"]


class LazyText(partial[str]):
    """Text that a function returns each time it is read.

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

    # Derived from a class written in C: making one costs a tenth of a microsecond.
    __slots__ = ()

    def __str__(self) -> str:
        return self()

    def __repr__(self) -> str:
        return repr(self())

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (self(),)
