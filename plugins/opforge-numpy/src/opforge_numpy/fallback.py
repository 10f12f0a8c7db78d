"""Functions that NumPy computes on the elements of arrays; they have no gradient.

Each warns once per process that the elements are copied to NumPy.
"""

import inspect
import operator
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from opforge.plugin_api import DTypeError, array_classes, autograd, element_type
from opforge.plugin_api import F as nd

from .host_values import bfloat16_of, host_values

NDArray = array_classes.NDArray

# fmt: off
#: Functions of MXNet that NumPy computes.
_COMPUTED = (
    "apply_along_axis", "apply_over_axes", "choose", "compress", "corrcoef", "correlate", "cov",
    "divmod", "extract", "float_power", "frexp", "heaviside", "i0", "interp", "modf",
    "nancumprod", "nancumsum", "nanmax", "nanmedian", "nanmin", "nanpercentile", "nanquantile",
    "nanstd", "nanvar", "partition", "piecewise", "poly", "polyadd", "polydiv", "polyfit",
    "polyint", "polymul", "polysub", "real", "roots", "select", "spacing", "trim_zeros", "unwrap",
    "vander",
)
#: The same for functions without useful gradients, which may be called while autograd records.
_DISCRETE = (
    "allclose", "argpartition", "argwhere", "array_equal", "array_equiv", "diag_indices_from",
    "digitize", "histogram2d", "histogram_bin_edges", "histogramdd", "intersect1d", "isclose",
    "isin", "ix_", "lexsort", "nanargmax", "nanargmin", "packbits", "searchsorted", "setdiff1d",
    "setxor1d", "tril_indices_from", "triu_indices_from", "union1d", "unpackbits",
)
#: Financial functions that NumPy 1.20 removed.
_REMOVED = ("mirr", "npv", "pmt", "ppmt", "pv", "rate")
# fmt: on
_warned: set[str] = set()


def in_numpy(name: str, differentiable: bool = True) -> Callable[..., Any]:
    """Return a function that calls a function of NumPy on the elements of arrays.

    Parameters
    ----------
    name : str
        Name in NumPy, such as ``'interp'`` or ``'linalg.cond'``.
    differentiable : bool, default True
        The result would have a gradient, so the function rejects calls that autograd records.

    Examples
    --------
    >>> import warnings
    >>> from opforge import np
    >>> with warnings.catch_warnings(action="ignore"):
    ...     in_numpy("trim_zeros")(np.array([0, 1, 0]))
    array([1.])
    """
    target = operator.attrgetter(name)(np)

    def function(*args: Any, **kwargs: Any) -> Any:
        if "interpolation" in kwargs and name in ("nanpercentile", "nanquantile"):
            kwargs["method"] = kwargs.pop("interpolation")  # its name before NumPy 1.22
        return call_numpy(name, target, args, kwargs, differentiable)

    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    summary = (target.__doc__ or "").strip().partition("\n\n")[0]
    function.__doc__ = f"{summary}\n\nCalls `numpy.{name}`; the result has no gradient."
    function.__signature__ = _signature(target)  # type: ignore[attr-defined]
    return function


def _signature(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except ValueError:
        return None


def call_numpy(
    name: str,
    target: Any,
    args: Any,
    kwargs: Mapping[str, Any],
    differentiable: bool = True,
) -> Any:
    """Call a function of NumPy on the elements of arrays, and return its arrays as arrays of np.

    Parameters
    ----------
    name : str
        Name for messages.
    target : callable
        The function of NumPy.
    args, kwargs
        Its arguments; arrays may be in tuples and lists.
    differentiable : bool, default True
        The result would have a gradient.

    Raises
    ------
    ValueError
        Autograd records, and the function is differentiable.
    """
    arrays = list(_arrays((args, tuple(kwargs.values()))))
    if differentiable and arrays and autograd.is_recording():
        raise ValueError(
            f"np.{name} runs in NumPy and has no gradient, but autograd is recording; call it "
            "outside of autograd.record(), or within autograd.pause()"
        )
    if arrays and name not in _warned:
        _warned.add(name)
        warnings.warn(
            f"np.{name} is computed by NumPy on a copy of the elements and has no gradient",
            stacklevel=3,
        )
    out = kwargs.get("out")
    if isinstance(out, NDArray):
        kwargs = {key: value for key, value in kwargs.items() if key != "out"}
    result = target(*_in_numpy(args), **{key: _in_numpy(value) for key, value in kwargs.items()})
    if isinstance(out, NDArray):
        out[...] = result
        return out
    return _from_result(result, arrays[0].context if arrays else None, bfloat16_of(arrays))


def _arrays(value: Any) -> Iterator[Any]:
    """Yield the arrays in nested tuples and lists."""
    if isinstance(value, NDArray):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _arrays(item)


def _in_numpy(value: Any) -> Any:
    """Replace arrays in nested tuples and lists by NumPy arrays."""
    if isinstance(value, NDArray):
        return host_values(value)
    if isinstance(value, tuple | list):
        return _like(value, map(_in_numpy, value))
    return value


def _from_result(value: Any, context: Any, narrow: Any = None) -> Any:
    """Replace NumPy arrays of supported types in tuples and lists by arrays of np.

    `narrow` is the type of those in float32 if it is not None.
    """
    from .arrays import adopt

    if narrow is not None and getattr(value, "dtype", None) == np.float32:
        value = value.astype(narrow)
    if isinstance(value, np.ndarray) and _is_supported(value.dtype):
        return adopt(nd.array(value, ctx=context, dtype=value.dtype))
    if isinstance(value, NDArray) and context is not None:  # of a function that NumPy called
        return value.as_in_context(context)
    if isinstance(value, tuple | list):
        return _like(value, (_from_result(item, context, narrow) for item in value))
    return value


def _like(value: Any, items: Iterable[Any]) -> Any:
    """Return items in a list if `value` is one, else in a tuple."""
    return list(items) if isinstance(value, list) else tuple(items)


def _is_supported(dtype: Any) -> bool:
    try:
        element_type(dtype)
    except DTypeError:
        return False
    return True


def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """Return for each element of the flattened first array whether the second contains it.

    Examples
    --------
    >>> import warnings
    >>> from opforge import np
    >>> with warnings.catch_warnings(action="ignore"):
    ...     np.in1d(np.array([1, 2]), np.array([2]))
    array([False,  True])
    """
    return call_numpy("in1d", _in1d, (ar1, ar2, assume_unique, invert), {}, False)


def _in1d(ar1: Any, ar2: Any, assume_unique: bool, invert: bool) -> Any:
    return np.isin(np.ravel(ar1), ar2, assume_unique=assume_unique, invert=invert)


def ndim(a: Any) -> int:
    """Return the number of axes.

    Examples
    --------
    >>> from opforge import np
    >>> np.ndim(np.ones((2, 3)))
    2
    """
    return a.ndim if isinstance(a, NDArray) else np.ndim(a)


def size(a: Any, axis: int | None = None) -> int:
    """Return the number of elements, or the length of an axis.

    Examples
    --------
    >>> from opforge import np
    >>> np.size(np.ones((2, 3))), np.size(np.ones((2, 3)), 1)
    (6, 3)
    """
    if not isinstance(a, NDArray):
        return np.size(a, axis)
    return int(a.size) if axis is None else int(a.shape[axis])


def genfromtxt(*args: Any, **kwargs: Any) -> Any:
    """Return an array from a text file; the arguments are those of `numpy.genfromtxt`.

    Examples
    --------
    >>> from opforge import np
    >>> np.genfromtxt(["1,2", "3,4"], delimiter=",")
    array([[1., 2.],
           [3., 4.]], dtype=float64)
    """
    return _from_result(np.genfromtxt(*args, **kwargs), None)


def result_type(*arrays_and_dtypes: Any) -> Any:
    """Return the element type that NumPy's promotion gives for arrays and types.

    Examples
    --------
    >>> from opforge import np
    >>> np.result_type(np.ones(2), "float64")
    dtype('float64')
    """
    return np.result_type(*(x.dtype if isinstance(x, NDArray) else x for x in arrays_and_dtypes))


#: Functions on types and settings, NumPy's own.
promote_types = np.promote_types
min_scalar_type = np.min_scalar_type
set_printoptions = np.set_printoptions
finfo = np.finfo
iinfo = np.iinfo


def _removed_function(name: str) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            f"np.{name} is not part of NumPy since version 1.20; the package numpy-financial has it"
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Raise RuntimeError: `{name}` moved to the package numpy-financial."
    return function


for _name in (*_COMPUTED, *_DISCRETE):
    globals()[_name] = in_numpy(_name, _name in _COMPUTED)
for _name in _REMOVED:
    globals()[_name] = _removed_function(_name)

__all__ = [
    *_COMPUTED,
    *_DISCRETE,
    *_REMOVED,
    "finfo",
    "genfromtxt",
    "iinfo",
    "in1d",
    "min_scalar_type",
    "ndim",
    "promote_types",
    "result_type",
    "set_printoptions",
    "size",
]
