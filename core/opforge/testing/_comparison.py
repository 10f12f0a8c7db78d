"""Comparison of arrays within tolerances, under MXNet's names."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import ndarray as nd

__all__ = [
    "almost_equal",
    "assert_almost_equal",
    "assert_exception",
    "get_atol",
    "get_rtol",
    "same",
    "same_array",
]

_RTOLS = {np.dtype("float16"): 1e-2, np.dtype("float32"): 1e-4, np.dtype("float64"): 1e-5}
_ATOLS = {np.dtype("float16"): 1e-1, np.dtype("float32"): 1e-3, np.dtype("float64"): 1e-20}
_SHOWN = 10


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
