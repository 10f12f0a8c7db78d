"""NumPy's functions on NDArrays: ``np.mean(x)``, ``np.exp(x)``, ``array + x``, ``x @ array``.

What opforge computes too gives an NDArray, through which gradients flow; everything else is left
to NumPy, which sees the memory of the arrays and gives arrays of its own.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from ..native.array import Array
from ..native.dispatch.operators import alike
from ._operators import operators

__all__ = ["NumpyProtocols"]

#: Universal function -> methods that compute it, with the NDArray on the left and on the right.
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

#: Universal function of one array of fractions -> the operator that computes the same.
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
    """NumPy's protocols for arrays of other libraries."""

    __slots__ = ()

    #: Above all of pandas' own: pandas leaves arithmetic to the array, which gives its elements.
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
        return _by_numpy(getattr(ufunc, method), inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if not callable(function) or not isinstance(kwargs, Mapping):
            raise TypeError(f"NumPy calls this for its functions, got {function!r:.60}")
        own = _FUNCTIONS.get(function)
        if own is not None and own.takes(args, kwargs):
            return own.function(*args, **kwargs)
        return _by_numpy(function, args, kwargs)

    def __matmul__(self, other: Any) -> Self:
        return _product(self, _beside(self, other))

    def __rmatmul__(self, other: Any) -> Self:
        return _product(_beside(self, other), self)


def _product(left: Any, right: Any) -> Any:
    """Return the matrix product, unless one of the two is no array."""
    if left is NotImplemented or right is NotImplemented:
        return NotImplemented
    nd = operators()
    # Of vectors and matrices it is the same product, on a shorter way.
    return (nd.dot if {left.ndim, right.ndim} <= {1, 2} else nd.matmul)(left, right)


def _beside(array: Any, other: Any) -> Any:
    """Return the other operand as an NDArray."""
    if isinstance(other, np.ndarray):
        return alike(array, other)
    return other if isinstance(other, Array) else NotImplemented


def _by_numpy(function: Any, args: Any, kwargs: Mapping[str, Any]) -> Any:
    """Call one of NumPy's functions on the memory of arrays."""
    result = function(*map(_in_numpy, args), **{k: _in_numpy(v) for k, v in kwargs.items()})
    out = kwargs.get("out")
    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    return out if isinstance(out, Array) else result


def _in_numpy(value: Any) -> Any:
    """Return `value` with the NDArrays in it, at any depth, as NumPy's arrays of their memory."""
    if isinstance(value, Array):
        # NumPy may write to it, where it is the `out` of a function.
        value.wait_to_write()
        return np.asarray(value)
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        # What kept an NDArray would come back here without an end.
        kind = tuple if isinstance(value, tuple) else list
        return kind(map(_in_numpy, value))
    return value


class _Own:
    """A function of ours in the place of one of NumPy's, whose first parameters it has.

    Parameters
    ----------
    function : callable
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self._names = tuple(inspect.signature(function).parameters)

    def takes(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
        """Tell whether a call uses only what the function knows, on an NDArray first."""
        first = args[0] if args else None
        if isinstance(first, (list, tuple)):
            first = first[0] if all(isinstance(x, Array) for x in first) else None
        known = len(args) <= len(self._names) and kwargs.keys() <= set(self._names)
        return known and isinstance(first, Array) and isinstance(kwargs.get("out"), _OUT)


_OUT = (type(None), Array, np.ndarray)
_NUMBER = (int, float, np.number)


def _stored(result: Any, out: Any) -> Any:
    """Return `result`, or `out` with its elements."""
    if out is None:
        return result
    out[...] = result.reshape(out.shape) if out.shape else result.item()
    return out


def _reduction(name: str) -> Callable[..., Any]:
    """Return sum or prod, with NumPy's parameters; truth is counted."""

    def reduced(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
    ) -> Any:
        if dtype is None:
            dtype = np.int64 if a.dtype is np.bool_ else a.dtype
        values = a.astype(dtype, copy=False)
        return _stored(getattr(values, name)(axis=axis, keepdims=bool(keepdims)), out)

    return reduced


def _mean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
) -> Any:
    values = a._fractional() if dtype is None else a.astype(dtype, copy=False)
    return _stored(values.mean(axis=axis, keepdims=bool(keepdims)), out)


def _choice(name: str) -> Callable[..., Any]:
    """Return max, any and their like, which keep the element type."""

    def chosen(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return _stored(getattr(a, name)(axis=axis, keepdims=bool(keepdims)), out)

    return chosen


def _spread(name: str) -> Callable[..., Any]:
    """Return var and std."""

    def spread(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: int = 0,
        keepdims: bool = False,
    ) -> Any:
        values = a if dtype is None else a.astype(dtype, copy=False)
        return _stored(getattr(values, name)(axis, bool(keepdims), ddof), out)

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
    # MXNet's codes, 0 and those below -1, have other meanings in NumPy or none.
    known = a.size and all(size == -1 or size > 0 for size in sizes)
    return a.reshape(tuple(sizes)) if known else np.asarray(a).reshape(shape)


def _dot(a: Any, b: Any) -> Any:
    matrices = hasattr(b, "ndim") and {a.ndim, b.ndim} <= {1, 2}
    return a @ b if matrices else np.dot(_in_numpy(a), _in_numpy(b))


#: NumPy's function -> ours.
_FUNCTIONS: dict[Any, _Own] = {
    **{getattr(np, name): _Own(_reduction(name)) for name in ("sum", "prod")},
    **{getattr(np, name): _Own(_choice(name)) for name in ("max", "min", "any", "all")},
    **{getattr(np, name): _Own(_choice(name)) for name in ("argmax", "argmin")},
    **{getattr(np, name): _Own(_spread(name)) for name in ("var", "std")},
    np.mean: _Own(_mean),
    np.amax: _Own(_choice("max")),
    np.amin: _Own(_choice("min")),
    np.clip: _Own(_clip),
    np.concatenate: _Own(_concatenate),
    np.stack: _Own(_stack),
    np.transpose: _Own(_transpose),
    np.reshape: _Own(_reshape),
    np.ravel: _Own(lambda a: _reshape(a, -1)),
    np.expand_dims: _Own(lambda a, axis: a.expand_dims(axis)),
    np.squeeze: _Own(lambda a, axis=None: a.squeeze(axis)),
    np.swapaxes: _Own(lambda a, axis1, axis2: a.swapaxes(axis1, axis2)),
    np.dot: _Own(_dot),
    np.zeros_like: _Own(lambda a: a.zeros_like()),
    np.ones_like: _Own(lambda a: a.ones_like()),
    np.shape: _Own(lambda a: a.shape),
    np.ndim: _Own(lambda a: a.ndim),
    np.size: _Own(lambda a: a.size),
}
