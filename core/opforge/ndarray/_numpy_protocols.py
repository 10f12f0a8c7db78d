"""NumPy's functions on NDArrays: ``np.mean(x)``, ``np.exp(x)``, ``array + x``, ``x @ array``.

Functions that opforge implements return an NDArray and are differentiable. All others run in NumPy
on the memory of the arrays and return NumPy arrays.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from ..native.array import Array
from ..native.dispatch.operators import alike
from ._operators import operators

__all__ = ["NumpyProtocols"]

#: Universal function -> methods that compute it with the NDArray on the left and on the right.
_SIDES = {
    np.add: ("__add__", "__radd__"),
    np.subtract: ("__sub__", "__rsub__"),
    np.multiply: ("__mul__", "__rmul__"),
    np.true_divide: ("__truediv__", "__rtruediv__"),
    np.remainder: ("__mod__", "__rmod__"),
    np.power: ("__pow__", "__rpow__"),
    np.matmul: ("__matmul__", "__rmatmul__"),
    np.equal: ("__eq__", "__eq__"),
    np.not_equal: ("__ne__", "__ne__"),
    np.greater: ("__gt__", "__lt__"),
    np.greater_equal: ("__ge__", "__le__"),
    np.less: ("__lt__", "__gt__"),
    np.less_equal: ("__le__", "__ge__"),
}

#: Universal function of one floating-point array -> operator that computes it.
# fmt: off
_UNARY = {
    getattr(np, name): name
    for name in (
        "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "cbrt", "ceil", "cos",
        "cosh", "degrees", "exp", "expm1", "floor", "log", "log10", "log1p", "log2", "negative",
        "radians", "reciprocal", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc",
    )
} | {np.absolute: "abs", np.fabs: "abs", np.deg2rad: "radians", np.rad2deg: "degrees"}
# fmt: on
_FRACTIONAL = frozenset({np.float16, np.float32, np.float64})


class NumpyProtocols:
    """NumPy's protocols for foreign arrays."""

    __slots__ = ()

    #: Higher than the priorities of pandas objects, so that pandas leaves arithmetic to the array.
    __pandas_priority__ = 5000

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        is_plain = method == "__call__" and not kwargs
        if is_plain and ufunc in _SIDES:
            (left, right), (direct, reflected) = inputs, _SIDES[ufunc]
            if isinstance(left, Array):
                return getattr(left, direct)(right)
            return getattr(right, reflected)(left)
        if not isinstance(ufunc, np.ufunc):
            raise TypeError(f"NumPy calls this for its universal functions, got {ufunc!r:.60}")
        if is_plain and ufunc in _UNARY and inputs[0].dtype in _FRACTIONAL:
            return getattr(operators(), _UNARY[ufunc])(inputs[0])
        return _call_numpy(getattr(ufunc, method), inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if not callable(function) or not isinstance(kwargs, Mapping):
            raise TypeError(f"NumPy calls this for its functions, got {function!r:.60}")
        override = _FUNCTIONS.get(function)
        if override is not None and override.takes(args, kwargs):
            return override.function(*args, **kwargs)
        return _call_numpy(function, args, kwargs)

    def __matmul__(self, other: Any) -> Self:
        return _product(self, _other_operand(self, other))

    def __rmatmul__(self, other: Any) -> Self:
        return _product(_other_operand(self, other), self)


def _product(left: Any, right: Any) -> Any:
    """Return the matrix product, or NotImplemented if an operand is not an array."""
    if left is NotImplemented or right is NotImplemented:
        return NotImplemented
    nd = operators()
    # For vectors and matrices `dot` gives the same result with less overhead.
    return (nd.dot if {left.ndim, right.ndim} <= {1, 2} else nd.matmul)(left, right)


def _other_operand(array: Any, other: Any) -> Any:
    """Return the other operand as an NDArray."""
    if isinstance(other, np.ndarray):
        return alike(array, other)
    return other if isinstance(other, Array) else NotImplemented


def _call_numpy(function: Any, args: Any, kwargs: Mapping[str, Any]) -> Any:
    """Call a NumPy function on the memory of arrays."""
    result = function(*map(_in_numpy, args), **{k: _in_numpy(v) for k, v in kwargs.items()})
    out = kwargs.get("out")
    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    return out if isinstance(out, Array) else result


def _in_numpy(value: Any) -> Any:
    """Return `value` with all NDArrays, at any depth, replaced by NumPy views of their memory."""
    if isinstance(value, Array):
        # NumPy may write to it if it is the `out` of a function.
        value.wait_to_write()
        return np.asarray(value)
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        # A container type that kept an NDArray would recurse infinitely.
        kind = tuple if isinstance(value, tuple) else list
        return kind(map(_in_numpy, value))
    return value


class _Override:
    """Replacement for a NumPy function with the same leading parameters.

    Parameters
    ----------
    function : callable
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self._names = tuple(inspect.signature(function).parameters)

    def takes(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
        """Return whether a call uses only supported arguments, with an NDArray first."""
        first = args[0] if args else None
        if isinstance(first, (list, tuple)):
            first = first[0] if all(isinstance(x, Array) for x in first) else None
        known = len(args) <= len(self._names) and kwargs.keys() <= set(self._names)
        return known and isinstance(first, Array) and isinstance(kwargs.get("out"), _OUT)


_OUT = (type(None), Array, np.ndarray)
_NUMBER = (int, float, np.number)


def _store_result(result: Any, out: Any) -> Any:
    """Return `result`, or `out` with its elements if it is given."""
    if out is None:
        return result
    out[...] = result.reshape(out.shape) if out.shape else result.item()
    return out


def _reduction(name: str) -> Callable[..., Any]:
    """Return sum or prod with NumPy's parameters; booleans are summed as integers."""

    def reduced(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
    ) -> Any:
        if dtype is None:
            dtype = np.int64 if a.dtype is np.bool_ else a.dtype
        values = a.astype(dtype, copy=False)
        return _store_result(getattr(values, name)(axis=axis, keepdims=bool(keepdims)), out)

    return reduced


def _mean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
) -> Any:
    values = a._fractional() if dtype is None else a.astype(dtype, copy=False)
    return _store_result(values.mean(axis=axis, keepdims=bool(keepdims)), out)


def _choice(name: str) -> Callable[..., Any]:
    """Return max, any or a similar reduction that keeps the element type."""

    def chosen(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return _store_result(getattr(a, name)(axis=axis, keepdims=bool(keepdims)), out)

    return chosen


def _variance_function(name: str) -> Callable[..., Any]:
    """Return var or std."""

    def spread(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: int = 0,
        keepdims: bool = False,
    ) -> Any:
        values = a if dtype is None else a.astype(dtype, copy=False)
        return _store_result(getattr(values, name)(axis, bool(keepdims), ddof), out)

    return spread


def _clip(a: Any, a_min: Any, a_max: Any) -> Any:
    if isinstance(a_min, _NUMBER) and isinstance(a_max, _NUMBER):
        return a.clip(a_min, a_max)
    return np.clip(np.asarray(a), _in_numpy(a_min), _in_numpy(a_max))


def _concatenate(arrays: Any, axis: int = 0) -> Any:
    return operators().concat(*arrays, dim=axis)


def _stack(arrays: Any, axis: int = 0) -> Any:
    return operators().stack(*arrays, axis=axis)


def _transpose(a: Any, axes: Any = None) -> Any:
    return a.transpose(axes=axes)


def _reshape(a: Any, shape: Any) -> Any:
    sizes = shape if isinstance(shape, Sequence) else (shape,)
    # MXNet's codes, 0 and those below -1, have another meaning in NumPy or none.
    known = a.size and all(size == -1 or size > 0 for size in sizes)
    return a.reshape(tuple(sizes)) if known else np.asarray(a).reshape(shape)


def _dot(a: Any, b: Any) -> Any:
    matrices = hasattr(b, "ndim") and {a.ndim, b.ndim} <= {1, 2}
    return a @ b if matrices else np.dot(_in_numpy(a), _in_numpy(b))


#: NumPy function -> replacement.
_FUNCTIONS: dict[Any, _Override] = {
    **{getattr(np, name): _Override(_reduction(name)) for name in ("sum", "prod")},
    **{getattr(np, name): _Override(_choice(name)) for name in ("max", "min", "any", "all")},
    **{getattr(np, name): _Override(_choice(name)) for name in ("argmax", "argmin")},
    **{getattr(np, name): _Override(_variance_function(name)) for name in ("var", "std")},
    np.mean: _Override(_mean),
    np.amax: _Override(_choice("max")),
    np.amin: _Override(_choice("min")),
    np.clip: _Override(_clip),
    np.concatenate: _Override(_concatenate),
    np.stack: _Override(_stack),
    np.transpose: _Override(_transpose),
    np.reshape: _Override(_reshape),
    np.ravel: _Override(lambda a: _reshape(a, -1)),
    np.expand_dims: _Override(lambda a, axis: a.expand_dims(axis)),
    np.squeeze: _Override(lambda a, axis=None: a.squeeze(axis)),
    np.swapaxes: _Override(lambda a, axis1, axis2: a.swapaxes(axis1, axis2)),
    np.dot: _Override(_dot),
    np.zeros_like: _Override(lambda a: a.zeros_like()),
    np.ones_like: _Override(lambda a: a.ones_like()),
    np.shape: _Override(lambda a: a.shape),
    np.ndim: _Override(lambda a: a.ndim),
    np.size: _Override(lambda a: a.size),
}
