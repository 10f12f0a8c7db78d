"""Switches for NumPy semantics of shapes and arrays, as in MXNet.

With NumPy's shapes ``()`` is the shape of a scalar and 0 a length like any other; without, in a
graph, both mean "not known yet". Switches are those of the thread; one of them may be set for all.
Invariant: nothing here depends on arrays; what reads the switches stands above.
"""

from contextvars import ContextVar
from types import TracebackType

from .context_variables import assign

__all__ = ["is_np_array", "is_np_shape", "np_array", "np_shape", "set_np_array", "set_np_shape"]

SHAPE_HERE: ContextVar[bool] = ContextVar("opforge_np_shape", default=False)
_array_here: ContextVar[bool] = ContextVar("opforge_np_array", default=False)
#: Whether NumPy's shapes are on in all threads; in a list, as native code reads it too.
SHAPE_EVERYWHERE = [False]

#: What `set_np_shape` takes to switch shapes on in all threads.
GLOBAL = 2


def is_np_shape() -> bool:
    """Tell whether shapes mean what they do in NumPy: ``()`` a scalar, 0 an empty axis."""
    return SHAPE_EVERYWHERE[0] or SHAPE_HERE.get()


def set_np_shape(active: int) -> bool:
    """Switch NumPy's meaning of shapes on or off.

    Parameters
    ----------
    active : bool, or 2
        2 switches it on in all threads; False off in all where it was switched on so.

    Returns
    -------
    bool
        Whether it was on.

    Raises
    ------
    ValueError
        It shall go off while NumPy's arrays are on, which need it.

    Examples
    --------
    >>> before = set_np_shape(True)
    >>> before, is_np_shape(), set_np_shape(before), is_np_shape()
    (False, True, True, False)
    """
    if not active and is_np_array():
        raise ValueError(
            "set_np_shape: NumPy's shapes cannot go off while NumPy's arrays are on; "
            "util.reset_np() switches both off"
        )
    before = is_np_shape()
    assign(SHAPE_HERE, bool(active))
    if not active or active == GLOBAL:
        SHAPE_EVERYWHERE[0] = bool(active)
    return before


def is_np_array() -> bool:
    """Tell whether a program has asked for arrays of ``mx.np``."""
    return _array_here.get()


def set_np_array(active: bool) -> bool:
    """Note that a program asks for arrays of ``mx.np``, or no longer does; return what was.

    opforge has no such arrays: layers and operators go on to give NDArrays.
    """
    before = is_np_array()
    assign(_array_here, bool(active))
    return before


class np_shape:
    """A ``with`` block in which NumPy's meaning of shapes is on, or off.

    Parameters
    ----------
    active : bool, default True

    Examples
    --------
    >>> with np_shape():
    ...     is_np_shape()
    True
    >>> is_np_shape()
    False
    """

    def __init__(self, active: bool = True) -> None:
        self._active = active
        self._before: list[bool] = []

    def __enter__(self) -> None:
        self._before.append(set_np_shape(self._active))

    def __exit__(
        self, kind: type[BaseException] | None, value: object, trace: TracebackType | None
    ) -> None:
        before = self._before.pop()
        if before != is_np_shape():
            set_np_shape(before)


class np_array:
    """A ``with`` block in which a program asks for arrays of ``mx.np``, see `set_np_array`.

    Parameters
    ----------
    active : bool, default True
    """

    def __init__(self, active: bool = True) -> None:
        self._active = active
        self._before: list[bool] = []

    def __enter__(self) -> "np_array":
        self._before.append(set_np_array(self._active))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: object, trace: TracebackType | None
    ) -> None:
        set_np_array(self._before.pop())
