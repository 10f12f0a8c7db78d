"""Functions that create arrays."""

from typing import Any

import numpy as np

from opforge.plugin_api import DTypeError, array_classes
from opforge.plugin_api import F as nd

from .. import creation as ours
from ..promotion import default_float
from .arguments import array_of, context_for, converted, wrapped
from .dtypes import bool as bool_type
from .dtypes import dtype_of

__all__ = [
    "arange",
    "asarray",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]

NDArray = array_classes.NDArray
Shape = int | tuple[int, ...]


def default_type(kind: str) -> Any:
    """Return the type of arrays made of Python numbers, by NumPy's letter for their kind.

    Raises
    ------
    DTypeError
        The numbers are complex.
    """
    if kind == "b":
        return bool_type
    if kind in "iu":
        return np.dtype("int64")
    if kind == "f":
        return np.dtype(default_float())
    raise DTypeError(f"arrays have real elements; NumPy's kind of these values is {kind!r}")


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> Any:
    """Return a number, nested sequences or an array of any library as an array.

    Parameters
    ----------
    obj : object
        Anything with ``__dlpack__``, ``__array__`` or a buffer, numbers and sequences of them.
    dtype : dtype, optional
        Default: that of an array; bool, int64 or the default floating type for numbers.
    device : Context or str, optional
    copy : bool, optional
        True: always copy; False: raise ValueError where a copy is needed; None: copy if needed.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.asarray([1, 2]).dtype, xp.asarray([1.5]).dtype
    (dtype('int64'), dtype('float32'))
    """
    context = context_for(device)
    wanted = None if dtype is None else dtype_of(dtype)
    if isinstance(obj, NDArray):
        return _from_array(wrapped(obj), wanted, context, copy)
    is_foreign = hasattr(obj, "__dlpack__") and not isinstance(obj, np.ndarray | np.generic)
    if is_foreign:
        return _from_array(from_dlpack(obj, copy=copy), wanted, context, None)
    values = np.asarray(obj)
    if wanted is None:
        is_array = hasattr(obj, "dtype") or isinstance(obj, memoryview | bytearray)
        wanted = dtype_of(values.dtype) if is_array else default_type(values.dtype.kind)
    if copy is False:
        if not isinstance(obj, np.ndarray) or values.dtype != wanted or not values.flags.carray:
            raise ValueError("asarray: this object cannot become an array without a copy")
        return wrapped(nd.from_dlpack(values))
    return wrapped(nd.array(_cast(values, wanted), ctx=context, dtype=wanted))


def _cast(values: Any, dtype: Any) -> Any:
    """Convert values of NumPy, integers without a detour through floats."""
    if values.dtype.kind in "OU":
        raise TypeError(f"asarray: expected numbers, got {values.dtype}")
    return values.astype(dtype) if values.dtype.kind in "iub" and dtype.kind in "iub" else values


def _from_array(array: Any, dtype: Any, context: Any, copy: bool | None) -> Any:
    result = array
    if context is not None and context != array.context:
        result = array.as_in_context(context)
    if dtype is not None:
        result = converted(result, dtype)
    if copy is False and result is not array:
        raise ValueError("asarray: another type or device requires a copy, but copy is False")
    return array.copy() if copy and result is array else result


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    """Return an array that shares the memory of another library's array, if possible.

    Parameters
    ----------
    x : object with ``__dlpack__``
    device : Context or str, optional
    copy : bool, optional
        True: always copy; False: raise BufferError where a copy is needed.

    Examples
    --------
    >>> import numpy
    >>> from opforge import array_api as xp
    >>> xp.from_dlpack(numpy.ones(2))
    array([1., 1.], dtype=float64)
    """
    result = wrapped(nd.from_dlpack(x))
    if copy is False and not _share_memory(x, result):
        raise BufferError("from_dlpack: a read-only or strided array has to be copied")
    return _from_array(result, None, context_for(device), copy or None)


def _share_memory(source: Any, array: Any) -> bool:
    """Return whether an array uses the memory of an object with ``__dlpack__``."""
    return not array.size or np.may_share_memory(np.from_dlpack(source), np.asarray(array))


def _fill(function: Any, shape: Shape, dtype: Any, device: Any) -> Any:
    named = default_float() if dtype is None else dtype_of(dtype)
    return wrapped(function(shape, named, ctx=context_for(device)))


def empty(shape: Shape, *, dtype: Any = None, device: Any = None) -> Any:
    """Return an uninitialized array; for the parameters see `zeros`."""
    return _fill(ours.empty, shape, dtype, device)


def zeros(shape: Shape, *, dtype: Any = None, device: Any = None) -> Any:
    """Return an array of zeros.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : dtype, optional
        Default: the default floating type, float32 unless ``npx.set_np(dtype=True)`` is on.
    device : Context or str, optional

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.zeros(2)
    array([0., 0.])
    """
    return _fill(ours.zeros, shape, dtype, device)


def ones(shape: Shape, *, dtype: Any = None, device: Any = None) -> Any:
    """Return an array of ones; for the parameters see `zeros`."""
    return _fill(ours.ones, shape, dtype, device)


def full(shape: Shape, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """Return an array whose elements are `fill_value`.

    Parameters
    ----------
    shape : int or tuple of int
    fill_value : bool, int or float
    dtype : dtype, optional
        Default: bool, int64 or the default floating type, by the type of `fill_value`.
    device : Context or str, optional

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.full(2, 7)
    array([7, 7], dtype=int64)
    """
    value = np.asarray(fill_value)
    kind = default_type(value.dtype.kind) if dtype is None else dtype_of(dtype)
    one = wrapped(nd.array(_cast(value, kind), ctx=context_for(device), dtype=kind))
    return wrapped(ours.full(shape, one)).copy()


def empty_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    """Return an uninitialized array of the shape of another; see `zeros_like`."""
    return zeros_like(x, dtype=dtype, device=device)


def zeros_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    """Return zeros of the shape, and by default of the type and on the device, of an array."""
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    """Return ones of the shape, and by default of the type and on the device, of an array."""
    return full_like(x, 1, dtype=dtype, device=device)


def full_like(x: Any, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """Return an array with the shape, and by default the type and device, of another.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.full_like(xp.zeros(2), 7)
    array([7., 7.])
    """
    x = array_of("full_like", x)
    kind = x.dtype if dtype is None else dtype
    return full(x.shape, fill_value, dtype=kind, device=device or x.context)


def arange(
    start: Any,
    /,
    stop: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
    device: Any = None,
) -> Any:
    """Return evenly spaced values from `start` up to, not including, `stop`.

    Parameters
    ----------
    start : int or float
        First value; if `stop` is None, the end, with 0 as first value.
    stop : int or float, optional
    step : int or float, default 1
    dtype : dtype, optional
        Default: int64 if all are int, else the default floating type.
    device : Context or str, optional

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.arange(2, 8, 2)
    array([2, 4, 6], dtype=int64)
    """
    values = np.arange(start, stop, step) if stop is not None else np.arange(0, start, step)
    kind = default_type(values.dtype.kind) if dtype is None else dtype_of(dtype)
    return wrapped(nd.array(_cast(values, kind), ctx=context_for(device), dtype=kind))


def linspace(
    start: Any,
    stop: Any,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Any = None,
    endpoint: bool = True,
) -> Any:
    """Return `num` evenly spaced values from `start` to `stop`.

    Parameters
    ----------
    start, stop : int or float
    num : int
    dtype : dtype, optional
        Default: the default floating type.
    device : Context or str, optional
    endpoint : bool, default True
        Whether the last value is `stop`.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.linspace(0, 1, 3)
    array([0. , 0.5, 1. ])
    """
    kind = dtype_of(default_float() if dtype is None else dtype)
    return wrapped(ours.linspace(start, stop, num, endpoint, dtype=kind, ctx=context_for(device)))


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: Any = None,
    device: Any = None,
) -> Any:
    """Return a matrix with ones on a diagonal and zeros elsewhere.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.eye(2)
    array([[1., 0.],
           [0., 1.]])
    """
    kind = default_float() if dtype is None else dtype_of(dtype)
    return wrapped(ours.eye(n_rows, n_cols, k, kind, ctx=context_for(device)))


def meshgrid(*arrays: Any, indexing: str = "xy") -> tuple[Any, ...]:
    """Return coordinate arrays of a grid from the coordinates along its axes.

    Parameters
    ----------
    *arrays : Array
        Coordinates along each axis, of one type.
    indexing : {"xy", "ij"}
        "xy": the first two axes are exchanged, as in images.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> [x.shape for x in xp.meshgrid(xp.arange(2), xp.arange(3))]
    [(3, 2), (3, 2)]
    """
    grid: tuple[Any, ...] = wrapped(
        ours.meshgrid(*(array_of("meshgrid", array) for array in arrays), indexing=indexing)
    )
    return grid


def tril(x: Any, /, *, k: int = 0) -> Any:
    """Return matrices with zeros above a diagonal.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.tril(xp.ones((2, 2)))
    array([[1., 0.],
           [1., 1.]])
    """
    return wrapped(ours.tril(_matrices("tril", x), k))


def triu(x: Any, /, *, k: int = 0) -> Any:
    """Return matrices with zeros below a diagonal; for the parameters see `tril`."""
    return wrapped(ours.triu(_matrices("triu", x), k))


def _matrices(name: str, x: Any) -> Any:
    x = array_of(name, x)
    if x.ndim < 2:
        raise ValueError(f"{name}: the array has {x.ndim} axes; expected at least 2")
    return x
