"""Creation of arrays: from numbers, sequences, NumPy and other libraries, and constant arrays."""

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.context import Context
from ..base.dtypes import code_of, dtype_of, is_numeric
from ..base.errors import AttributeValueError
from ..base.integers import as_integer
from ..base.node_attributes import expect_private
from ..native import array as _native
from ..native import calls
from ..native.array import Array, StoredArray
from ..native.dispatch.ownership import converted
from ..std.creation import spaced
from ._arguments import expect_array
from ._operators import operators

if TYPE_CHECKING:
    from .ndarray import NDArray

__all__ = [
    "arange",
    "array",
    "empty",
    "eye",
    "from_dlpack",
    "from_numpy",
    "full",
    "linspace",
    "ones",
    "to_dlpack_for_read",
    "to_dlpack_for_write",
    "zeros",
]

ShapeLike = Any


def array(source_array: Any, ctx: Context | None = None, dtype: Any = None) -> "NDArray":
    """Return a new array with the elements of `source_array`.

    Parameters
    ----------
    source_array : array_like
        A number, nested sequences, a NumPy array, an NDArray or a list of them, a column or table
        of numbers of pandas or Arrow, anything with a buffer or ``__dlpack__``. Sparse NDArrays
        and SciPy's csr_matrix give a sparse copy.
    ctx : Context, optional
        Device; default: the current one.
    dtype : optional
        Element type; default: that of an NDArray, float32 for other sources.

    Examples
    --------
    >>> array([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    result = converted(source_array, ctx, dtype)
    if result is not None:
        return result
    if isinstance(source_array, Array):
        code = source_array.dtype_code if dtype is None else code_of(dtype)
        result = _native.empty(source_array.shape, code, ctx)
        _native.copy_into(result, source_array)
        return result
    if isinstance(source_array, StoredArray) or hasattr(source_array, "tocsr"):
        return operators().sparse.array(source_array, ctx, dtype)
    return _native.from_numpy(_as_numpy(source_array), code_of(dtype), ctx)


def _as_numpy(source: Any) -> Any:
    """Return `source` as a NumPy array of numbers."""
    if isinstance(source, np.ndarray):
        result = source
    elif hasattr(source, "__dlpack__") and not hasattr(source, "__array__"):
        result = _native.numpy_from_dlpack(source)
    elif hasattr(source, "to_numpy_ndarray"):  # Arrow tensors of a fixed shape
        result = source.to_numpy_ndarray()
    else:
        try:
            result = np.asarray(source)
        except (TypeError, ValueError) as error:
            if not hasattr(source, "__dlpack__"):
                raise TypeError(f"source_array must be array like object: {error}") from error
            result = _native.numpy_from_dlpack(source)  # PyTorch's bfloat16
    if result.dtype.kind in "SU":
        result = _numbers_of(result)
    if not is_numeric(result.dtype):
        if result.dtype == object:
            wrong, remedy = f"got {source!r:.60}", "convert its elements to numbers"
        else:
            wrong, remedy = (
                f"its elements are {result.dtype}",
                "use astype('float32') or similar",
            )
        raise TypeError(f"source_array must hold numbers in equally long rows, {wrong}; {remedy}")
    return result


def _numbers_of(texts: Any) -> Any:
    """Return the numbers of texts, which programs read from files, or else the texts."""
    for dtype in (np.int64, np.float64):
        with contextlib.suppress(ValueError, OverflowError):
            return texts.astype(dtype)
    return texts


def empty(
    shape: ShapeLike, ctx: Context | None = None, dtype: Any = None, stype: Any = None
) -> "NDArray":
    """Return an uninitialized array.

    Parameters
    ----------
    shape : int or sequence of int
    ctx : Context, optional
    dtype : optional
        Default float32.
    stype : {"default", "csr", "row_sparse"}, optional
        Storage type; a sparse array stores no elements, so it is zero.
    """
    if stype is not None and stype != "default":
        return operators().sparse.empty(stype, shape, ctx, dtype)
    return _native.empty(shape, code_of(dtype), ctx)


def _fill(value: Any, shape: Any, ctx: Any, dtype: Any, out: Any) -> Any:
    if out is not None:
        out[:] = value
        return out
    result = _native.empty(shape, code_of(dtype), ctx)
    calls.fill(result, value)
    return result


def zeros(
    shape: ShapeLike,
    ctx: Context | None = None,
    dtype: Any = None,
    stype: Any = None,
    *,
    out: Any = None,
    name: str | None = None,
    **attributes: Any,
) -> "NDArray":
    """Return an array of zeros.

    Parameters
    ----------
    shape, ctx, dtype, stype
        As in `empty`.
    out : NDArray, optional
        Filled and returned instead of a new array.
    name, **attributes : optional
        Accepted because `sym.zeros` takes them, for example ``__layout__``.

    Examples
    --------
    >>> zeros((1, 2)).asnumpy().tolist()
    [[0.0, 0.0]]
    """
    if attributes:
        expect_private("zeros", attributes)
    if stype is not None and stype != "default":
        return operators().sparse.zeros(stype, shape, ctx, dtype)
    if out is None:
        return _native.zeros(shape, code_of(dtype), ctx)
    return _fill(0, shape, ctx, dtype, out)


def ones(
    shape: ShapeLike,
    ctx: Context | None = None,
    dtype: Any = None,
    *,
    out: Any = None,
    name: str | None = None,
    **attributes: Any,
) -> "NDArray":
    """Return an array of ones; for the parameters see `zeros`."""
    if attributes:
        expect_private("ones", attributes)
    return _fill(1, shape, ctx, dtype, out)


def full(
    shape: ShapeLike,
    val: float,
    ctx: Context | None = None,
    dtype: Any = np.float32,
    out: Any = None,
) -> "NDArray":
    """Return an array whose elements are all `val`.

    Examples
    --------
    >>> full((2,), 7).asnumpy().tolist()
    [7.0, 7.0]
    """
    return _fill(val, shape, ctx, dtype, out)


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: Any = None,
    ctx: Context | None = None,
    dtype: Any = np.float32,
) -> "NDArray":
    """Return evenly spaced values from `start` up to, not including, `stop`.

    Parameters
    ----------
    start : float
        First value; if `stop` is None, the end, with 0 as first value.
    stop : float, optional
    step : float, default 1
    repeat : int, default 1
        Number of times each value is repeated.
    infer_range : optional
        Ignored; accepted for compatibility with MXNet.

    Examples
    --------
    >>> arange(2, 8, 2).asnumpy().tolist()
    [2.0, 4.0, 6.0]
    """
    if step == 0:
        raise AttributeValueError(
            "arange: step is 0, expected a number that leads from start to stop"
        )
    _expect_at_least("arange", "repeat", repeat, 1)
    low, high = (0.0, start) if stop is None else (start, stop)
    count = max(int(np.ceil((high - low) / step)), 0)
    values = spaced(low, count, step, dtype_of(code_of(dtype)))
    if repeat != 1:
        values = np.repeat(values, as_integer(repeat, "repeat of arange"))
    return _native.from_numpy(np.asarray(values), code_of(dtype), ctx)


def _expect_at_least(function: str, argument: str, value: int, least: int) -> None:
    if value < least:
        raise AttributeValueError(f"{function}: {argument} is {value}, expected at least {least}")


def linspace(
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    ctx: Context | None = None,
    dtype: Any = np.float32,
) -> "NDArray":
    """Return `num` evenly spaced values from `start` to `stop`.

    Examples
    --------
    >>> linspace(0, 1, 3).asnumpy().tolist()
    [0.0, 0.5, 1.0]
    """
    _expect_at_least("linspace", "num", num, 0)
    return _native.from_numpy(np.linspace(start, stop, num, endpoint), code_of(dtype), ctx)


def eye(
    N: int,
    M: int = 0,
    k: int = 0,
    ctx: Context | None = None,
    dtype: Any = None,
) -> "NDArray":
    """Return an N x M matrix with ones on the k-th diagonal; M=0 means N.

    Examples
    --------
    >>> eye(2).asnumpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    _expect_at_least("eye", "N", N, 0)
    _expect_at_least("eye", "M", M, 0)
    return _native.from_numpy(np.eye(N, M or N, k), code_of(dtype), ctx)


def from_numpy(
    ndarray: Any, zero_copy: bool = True, array_cls: "type[NDArray] | None" = None
) -> "NDArray":
    """Return an array with the elements of a NumPy array.

    Parameters
    ----------
    ndarray : numpy.ndarray
    zero_copy : bool, default True
        Share the memory, which must be C-contiguous; `ndarray` becomes read-only, so that only the
        result can write to it. An array that cannot be made writable is copied. False: copy.
    array_cls : type, default NDArray
        Class of the result, for instance `mx.np.ndarray`.
    """
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"from_numpy expects a NumPy array, got {type(ndarray).__name__}")
    result = _from_numpy(ndarray, zero_copy)
    return result if array_cls is None else _native.as_class(result, array_cls)


def _from_numpy(ndarray: Any, zero_copy: bool) -> "NDArray":
    if not zero_copy:
        return _native.from_numpy(ndarray, code_of(ndarray.dtype))
    try:
        ndarray.flags.writeable = True  # an earlier call may have cleared the flag
    except ValueError:
        return _native.from_numpy(ndarray, code_of(ndarray.dtype))
    result = _native.wrap_numpy(ndarray)
    ndarray.flags.writeable = False
    return result


def from_dlpack(dlpack: Any) -> "NDArray":
    """Return an array that shares the memory of another library's array, if possible.

    A read-only, strided or unaligned array is copied.

    Parameters
    ----------
    dlpack : object with ``__dlpack__``, or a DLPack capsule

    Raises
    ------
    TypeError
        `dlpack` is neither.
    """
    if not hasattr(dlpack, "__dlpack__") and type(dlpack).__name__ != "PyCapsule":
        raise TypeError(
            f"from_dlpack: expected an object with __dlpack__ or a DLPack capsule, got "
            f"{type(dlpack).__name__}; use nd.array for numbers and lists"
        )
    source = _native.numpy_from_dlpack(dlpack)
    if source.flags.carray:  # writable, aligned and C-contiguous
        return _native.wrap_numpy(source)
    return _native.from_numpy(source, code_of(source.dtype))


def to_dlpack_for_read(data: Array) -> Any:
    """Return a DLPack capsule on the memory of `data`, once pending writes are done."""
    expect_array("to_dlpack_for_read", "data", data)
    data.wait_to_read()
    return data.__dlpack__()


def to_dlpack_for_write(data: Array) -> Any:
    """Return a DLPack capsule on the memory of `data`, once pending reads and writes are done."""
    expect_array("to_dlpack_for_write", "data", data)
    data.wait_to_write()
    return data.__dlpack__()
