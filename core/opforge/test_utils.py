"""Comparisons, random arrays and gradient checks for tests, under MXNet's names.

New tests may prefer `opforge.testing`, which checks a whole operator at once.
"""

import random as _random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from . import autograd
from . import ndarray as nd
from .base.context import Context, current_context

__all__ = [
    "almost_equal",
    "assert_almost_equal",
    "assert_exception",
    "check_numeric_gradient",
    "default_context",
    "default_dtype",
    "get_atol",
    "get_rtol",
    "rand_ndarray",
    "rand_shape_2d",
    "rand_shape_3d",
    "rand_shape_nd",
    "random_arrays",
    "same",
    "same_array",
    "set_default_context",
]

_RTOLS = {np.dtype("float16"): 1e-2, np.dtype("float32"): 1e-4, np.dtype("float64"): 1e-5}
_ATOLS = {np.dtype("float16"): 1e-1, np.dtype("float32"): 1e-3, np.dtype("float64"): 1e-20}
_SHOWN = 10

_chosen_context: Context | None = None


def default_context() -> Context:
    """Return the context that tests use: what `set_default_context` set, else the current one."""
    return _chosen_context or current_context()


def set_default_context(ctx: Context) -> None:
    """Set what `default_context` returns."""
    global _chosen_context
    _chosen_context = ctx


def default_dtype() -> type[np.float32]:
    """Return the element type that tests use, float32."""
    return np.float32


def get_rtol(rtol: float | None = None, dtype: Any = np.float64) -> float:
    """Return `rtol`, or the usual relative tolerance for `dtype` where it is None."""
    return _RTOLS.get(np.dtype(dtype), 0.0) if rtol is None else rtol


def get_atol(atol: float | None = None, dtype: Any = np.float64) -> float:
    """Return `atol`, or the usual absolute tolerance for `dtype` where it is None."""
    return _ATOLS.get(np.dtype(dtype), 0.0) if atol is None else atol


def same(a: Any, b: Any) -> bool:
    """Tell whether two arrays have the same shape and the same elements."""
    return bool(np.array_equal(_numpy(a), _numpy(b)))


def same_array(array1: Any, array2: Any) -> bool:
    """Tell whether two NDArrays share memory; both are unchanged afterwards."""
    return bool(np.shares_memory(np.asarray(array1), np.asarray(array2)))


def almost_equal(
    a: Any,
    b: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    use_broadcast: bool = True,
) -> bool:
    """Tell whether two arrays are equal within tolerances.

    Parameters
    ----------
    a, b : NDArray, numpy.ndarray or number
    rtol, atol : float, optional
        ``|a - b| <= atol + rtol * |b|``; None: the usual ones of the coarser element type.
    equal_nan : bool, default False
        Take nan as equal to nan.
    use_broadcast : bool, default True
        Let shapes differ where they broadcast.

    Examples
    --------
    >>> almost_equal(np.array([1.0]), np.array([1.000001]))
    True
    """
    a, b = _numpy(a), _numpy(b)
    if not use_broadcast and a.shape != b.shape:
        return False
    rtol, atol = _tolerances(a, b, rtol, atol)
    return bool(np.isclose(a, b, rtol, atol, equal_nan).all())


def assert_almost_equal(
    a: Any,
    b: Any,
    rtol: float | None = None,
    atol: float | None = None,
    names: tuple[str, str] = ("a", "b"),
    equal_nan: bool = False,
    use_broadcast: bool = True,
    mismatches: tuple[int, int] = (_SHOWN, _SHOWN),
) -> None:
    """Raise AssertionError unless two arrays are equal within tolerances.

    Parameters are those of `almost_equal`, and:

    names : (str, str)
        What the message calls the arrays.
    mismatches : (int, int)
        The first is how many differing elements the message lists, largest error first.

    Raises
    ------
    AssertionError
        They differ; the message has the worst elements and how many there are.
    """
    if almost_equal(a, b, rtol, atol, equal_nan, use_broadcast):
        return
    a, b = _numpy(a), _numpy(b)
    if not use_broadcast and a.shape != b.shape:
        raise AssertionError(f"{names[0]} has shape {a.shape}, {names[1]} has {b.shape}")
    rtol, atol = _tolerances(a, b, rtol, atol)
    raise AssertionError(_difference(a, b, rtol, atol, equal_nan, names, mismatches[0]))


def assert_exception(
    f: Callable[..., Any], exception_type: type[BaseException], *args: Any, **kwargs: Any
) -> None:
    """Raise AssertionError unless ``f(*args, **kwargs)`` raises `exception_type`."""
    try:
        f(*args, **kwargs)
    except exception_type:
        return
    raise AssertionError(f"{f!r} did not raise {exception_type.__name__}")


def rand_shape_2d(dim0: int = 10, dim1: int = 10, allow_zero_size: bool = False) -> tuple[int, int]:
    """Return a random shape of two axes, each at most as long as given."""
    low = 0 if allow_zero_size else 1
    return _random.randint(low, dim0), _random.randint(low, dim1)


def rand_shape_3d(
    dim0: int = 10, dim1: int = 10, dim2: int = 10, allow_zero_size: bool = False
) -> tuple[int, int, int]:
    """Return a random shape of three axes, each at most as long as given."""
    low = 0 if allow_zero_size else 1
    return _random.randint(low, dim0), _random.randint(low, dim1), _random.randint(low, dim2)


def rand_shape_nd(num_dim: int, dim: int = 10, allow_zero_size: bool = False) -> tuple[int, ...]:
    """Return a random shape of `num_dim` axes, each at most `dim` long."""
    low = 0 if allow_zero_size else 1
    return tuple(_random.randint(low, dim) for _ in range(num_dim))


def random_arrays(*shapes: tuple[int, ...]) -> Any:
    """Return NumPy arrays of standard normal float32 numbers; one array for one shape."""
    arrays = [np.asarray(np.random.standard_normal(shape), np.float32) for shape in shapes]
    return arrays[0] if len(arrays) == 1 else arrays


def rand_ndarray(
    shape: tuple[int, ...],
    stype: str = "default",
    density: float | None = None,
    dtype: Any = None,
    ctx: Context | None = None,
) -> Any:
    """Return an NDArray of uniform random numbers in [-1, 1).

    Parameters
    ----------
    shape : tuple of int
    stype : {'default'}
        Only dense arrays exist.
    density : float, optional
        Share of the elements that is not zero; None: all.
    dtype : default float32
    ctx : Context, optional

    Raises
    ------
    ValueError
        `stype` is not ``'default'``.
    """
    if stype != "default":
        raise ValueError(f"rand_ndarray: only stype 'default' exists, got {stype!r}")
    values = np.random.uniform(-1, 1, shape)
    if density is not None:
        values *= np.random.random(shape) < density
    return nd.array(values, dtype=dtype or default_dtype(), ctx=ctx or default_context())


def check_numeric_gradient(
    fn: Callable[..., Any],
    location: Sequence[Any] | Mapping[str, Any],
    numeric_eps: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    grad_nodes: Sequence[int] | Sequence[str] | None = None,
    use_forward_train: bool = True,
    ctx: Context | None = None,
    dtype: Any = np.float64,
) -> None:
    """Compare the gradient that autograd gives with central differences, element by element.

    Parameters
    ----------
    fn : callable
        Takes NDArrays, positionally or by the names in `location`; returns one or a list.
    location : list of arrays, or dict of str to array
        Where to check.
    numeric_eps : float, optional
        Step; None: 1e-4 in float64, else 1e-3.
    rtol, atol : float, optional
        Tolerances; None: 1e-4 and 1e-6 in float64, else 1e-2 and 1e-3.
    grad_nodes : list, optional
        Indices or names of the inputs to check; None: all.
    use_forward_train : bool, default True
        Run in training mode.
    ctx : Context, optional
    dtype : default float64
        Element type of the inputs; with float32 differences are much less exact.

    Raises
    ------
    AssertionError
        A gradient differs; the message names the input and the worst elements.

    Examples
    --------
    >>> check_numeric_gradient(lambda x: x * x, [np.array([1.0, 2.0])])
    """
    named = location if isinstance(location, Mapping) else dict(enumerate(location))
    ctx = ctx or default_context()
    arrays = {key: nd.array(_numpy(v), dtype=dtype, ctx=ctx) for key, v in named.items()}
    exact = np.dtype(dtype) == np.float64
    eps = numeric_eps or (1e-4 if exact else 1e-3)
    rtol = rtol or (1e-4 if exact else 1e-2)
    atol = atol if atol is not None else (1e-6 if exact else 1e-3)
    checked = list(arrays) if grad_nodes is None else list(grad_nodes)
    probe = _Probe(fn, arrays, use_forward_train)
    analytic = probe.gradients(checked)
    for key in checked:
        numeric = probe.differences(key, eps)
        names = (f"gradient of {key!r} by autograd", "by differences")
        assert_almost_equal(analytic[key], numeric, rtol, atol, names)


class _Probe:
    """A function as one number, its outputs weighted at random, at a point that can be moved."""

    def __init__(self, fn: Callable[..., Any], arrays: dict[Any, Any], training: bool) -> None:
        self._fn = fn
        self._arrays = arrays
        self._training = training
        rng = np.random.default_rng(0)
        self._weights = [rng.normal(size=output.shape) for output in self._outputs()]

    def gradients(self, keys: Sequence[Any]) -> dict[Any, np.ndarray]:
        """Return the gradient with respect to each of `keys` as autograd has it."""
        for key in keys:
            self._arrays[key].attach_grad()
        with autograd.record(self._training):
            outputs = self._called()
        heads = [
            nd.array(weight, dtype=output.dtype, ctx=output.context)
            for weight, output in zip(self._weights, outputs, strict=True)
        ]
        autograd.backward(outputs, heads)
        return {key: self._arrays[key].grad.asnumpy() for key in keys}

    def differences(self, key: Any, eps: float) -> np.ndarray:
        """Return the gradient with respect to `key` by central differences."""
        here = self._arrays[key]
        start = here.asnumpy()
        gradient = np.empty(start.shape, np.float64)
        for index in np.ndindex(start.shape):
            values = []
            for step in (eps, -eps):
                moved = start.copy()
                moved[index] += step
                self._arrays[key] = nd.array(moved, dtype=start.dtype, ctx=here.context)
                values.append(self._number())
            gradient[index] = (values[0] - values[1]) / (2 * eps)
        self._arrays[key] = here
        return gradient

    def _called(self) -> list[Any]:
        if all(isinstance(key, int) for key in self._arrays):
            result = self._fn(*self._arrays.values())
        else:
            result = self._fn(**self._arrays)
        return list(result) if isinstance(result, (list, tuple)) else [result]

    def _outputs(self) -> list[np.ndarray]:
        mode = autograd.train_mode() if self._training else autograd.predict_mode()
        with mode:
            return [output.asnumpy().astype(np.float64) for output in self._called()]

    def _number(self) -> float:
        return float(
            sum((w * o).sum() for w, o in zip(self._weights, self._outputs(), strict=True))
        )


def _numpy(value: Any) -> np.ndarray:
    return value.asnumpy() if isinstance(value, nd.NDArray) else np.asarray(value)


def _tolerances(
    a: np.ndarray, b: np.ndarray, rtol: float | None, atol: float | None
) -> tuple[float, float]:
    return (
        max(get_rtol(rtol, a.dtype), get_rtol(rtol, b.dtype)),
        max(get_atol(atol, a.dtype), get_atol(atol, b.dtype)),
    )


def _difference(
    a: np.ndarray,
    b: np.ndarray,
    rtol: float,
    atol: float,
    equal_nan: bool,
    names: tuple[str, str],
    shown: int,
) -> str:
    a, b = np.broadcast_arrays(a, b)
    differs = ~np.isclose(a, b, rtol, atol, equal_nan)
    with np.errstate(all="ignore"):
        wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
        error = np.abs(wide_a - wide_b) / (atol + rtol * np.abs(wide_b))
    error = np.where(np.isnan(error), np.inf, error)
    worst = sorted(np.argwhere(differs).tolist(), key=lambda i: -error[tuple(i)])[:shown]
    lines = [
        f"{differs.sum()} of {differs.size} elements differ by more than rtol={rtol:g}, "
        f"atol={atol:g}; the worst, with their errors in units of the tolerance:"
    ]
    for place in map(tuple, worst):
        lines.append(
            f"  {place}: {names[0]}={a[place]!s}, {names[1]}={b[place]!s}, error {error[place]:g}"
        )
    return "\n".join([*lines, f" {names[0]}: {a!r}", f" {names[1]}: {b!r}"])
