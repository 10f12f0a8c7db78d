"""Switches for NumPy semantics of shapes, arrays and element types, as in MXNet.

With NumPy's shapes, ``()`` is the shape of a scalar and 0 an ordinary length; without them, both
mean "not known yet" in a graph. With NumPy's types, functions of ``mx.np`` create float64 arrays
where they otherwise create float32 ones. Switches are thread-local; that of shapes may also be set
for all threads.
Invariant: nothing here depends on arrays; code that reads the switches is in higher layers.
"""

from contextvars import ContextVar
from types import TracebackType

from .context_variables import assign

__all__ = [
    "is_np_array",
    "is_np_default_dtype",
    "is_np_shape",
    "np_array",
    "np_shape",
    "numpy_class",
    "reset_np",
    "set_np",
    "set_np_array",
    "set_np_default_dtype",
    "set_np_shape",
    "set_numpy_class",
]

SHAPE_HERE: ContextVar[bool] = ContextVar("opforge_np_shape", default=False)
_array_here: ContextVar[bool] = ContextVar("opforge_np_array", default=False)
_dtype_here: ContextVar[bool] = ContextVar("opforge_np_default_dtype", default=False)
#: Whether NumPy's shapes are on in all threads; in a list because native code reads it too.
SHAPE_EVERYWHERE = [False]

#: Argument of `set_np_shape` that switches shapes on in all threads.
GLOBAL = 2


def is_np_shape() -> bool:
    """Return whether shapes have NumPy's meaning: ``()`` is a scalar, 0 an empty axis."""
    return SHAPE_EVERYWHERE[0] or SHAPE_HERE.get()


def set_np_shape(active: int) -> bool:
    """Switch NumPy's meaning of shapes on or off.

    Parameters
    ----------
    active : bool, or 2
        2 switches it on in all threads; False also switches it off in all threads.

    Returns
    -------
    bool
        Whether it was on.

    Raises
    ------
    ValueError
        `active` is false while NumPy's arrays are on, which need NumPy's shapes.

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
    """Return whether a program has requested arrays of ``mx.np``."""
    return _array_here.get()


def set_np_array(active: bool) -> bool:
    """Record whether a program requests arrays of ``mx.np``; return the previous setting."""
    before = is_np_array()
    assign(_array_here, bool(active))
    return before


def is_np_default_dtype() -> bool:
    """Return whether functions of ``mx.np`` create float64 arrays by default, as NumPy does."""
    return _dtype_here.get()


def set_np_default_dtype(active: bool = True) -> bool:
    """Choose float64 or float32 as the default of ``mx.np``; return the previous setting."""
    before = is_np_default_dtype()
    assign(_dtype_here, bool(active))
    return before


def set_np(shape: bool = True, array: bool = True, dtype: bool = False) -> None:
    """Switch NumPy's shapes, arrays and default types on or off.

    Parameters
    ----------
    shape, array : bool, default True
        Whether to use NumPy's shapes (see `set_np_shape`) and the arrays of ``mx.np``.
    dtype : bool, default False
        Whether functions of ``mx.np`` create float64 arrays instead of float32 ones.

    Raises
    ------
    ValueError
        `array` is True and `shape` is False.
    """
    if array and not shape:
        raise ValueError("set_np: NumPy's arrays require NumPy's shapes. Pass shape=True as well")
    set_np_array(array)
    set_np_shape(shape)
    set_np_default_dtype(dtype)


def reset_np() -> None:
    """Switch NumPy's shapes, arrays and default types off."""
    set_np(shape=False, array=False)


class np_shape:
    """Context manager that switches NumPy's meaning of shapes on or off.

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
    """Context manager that records a request for arrays of ``mx.np``, see `set_np_array`.

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


#: The class of ``mx.np``'s arrays, once opforge-numpy has set it.
_numpy_class: list[type] = []


def set_numpy_class(cls: type) -> None:
    """Set the class of arrays inside `np_array`: a subclass of NDArray without further slots."""
    _numpy_class[:] = [cls]


def numpy_class() -> type | None:
    """Return the class of ``mx.np``'s arrays; None if opforge-numpy is not imported."""
    return _numpy_class[0] if _numpy_class else None
