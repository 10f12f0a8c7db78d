"""Array comparisons within tolerances, under MXNet's names."""

from collections.abc import Callable
from typing import Any

import numpy as np

from opforge import ndarray as nd

from ._tolerances import Tolerance, get_atol, get_etol, get_rtol, get_tols

__all__ = [
    "almost_equal",
    "assert_allclose",
    "assert_almost_equal",
    "assert_almost_equal_ignore_nan",
    "assert_almost_equal_with_err",
    "assert_exception",
    "checkShapes",
    "compare_ndarray_tuple",
    "locationError",
    "same",
    "same_array",
]

_SHOWN = 10


def same(a: Any, b: Any) -> bool:
    """Return whether two arrays have the same shape and the same elements."""
    return bool(np.array_equal(_numpy(a), _numpy(b)))


def same_array(array1: Any, array2: Any) -> bool:
    """Return whether two NDArrays share memory; neither is modified."""
    return bool(np.shares_memory(np.asarray(array1), np.asarray(array2)))


def checkShapes(a: Any, b: Any) -> None:
    """Raise AssertionError unless two arrays have the same shape."""
    if np.shape(a) != np.shape(b):
        raise AssertionError(f"a has shape {np.shape(a)}, b has {np.shape(b)}")


def almost_equal(
    a: Any,
    b: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    use_broadcast: bool = True,
) -> bool:
    """Return whether two arrays are equal within tolerances.

    Parameters
    ----------
    a, b : NDArray, numpy.ndarray or number
    rtol, atol : float, optional
        Elements are equal if ``|a - b| <= atol + rtol * |b|``. The defaults are those of
        float64, 1e-5 and 1e-20.
    equal_nan : bool, default False
        Whether NaNs compare equal.
    use_broadcast : bool, default True
        Allow different shapes that broadcast; if False, different shapes raise AssertionError.

    Examples
    --------
    >>> almost_equal(np.array([1.0]), np.array([1.000001]))
    True
    """
    a, b = _numpy(a), _numpy(b)
    if not use_broadcast:
        checkShapes(a, b)
    return bool(np.isclose(a, b, get_rtol(rtol), get_atol(atol), equal_nan).all())


def assert_almost_equal(
    a: Any,
    b: Any,
    rtol: Tolerance = None,
    atol: Tolerance = None,
    names: tuple[str, str] = ("a", "b"),
    equal_nan: bool = False,
    use_broadcast: bool = True,
    mismatches: tuple[int, int] = (_SHOWN, _SHOWN),
) -> None:
    """Raise AssertionError unless two arrays are equal within tolerances.

    Parameters
    ----------
    a, b : NDArray, numpy.ndarray or number
    rtol, atol : float, or dict of dtype to float, optional
        As for `almost_equal`; the defaults are those of the less precise element type.
    names : (str, str)
        Names of the arrays in the message.
    equal_nan, use_broadcast : bool
        As for `almost_equal`.
    mismatches : (int, int)
        The first integer limits how many differing elements the message lists, largest error
        first. The second is ignored.

    Raises
    ------
    AssertionError
        The arrays differ; the message has the number of differing elements and the worst of them.
    """
    assert_almost_equal_with_err(a, b, rtol, atol, 0, names, equal_nan, mismatches, use_broadcast)


def assert_almost_equal_with_err(
    a: Any,
    b: Any,
    rtol: Tolerance = None,
    atol: Tolerance = None,
    etol: float | None = None,
    names: tuple[str, str] = ("a", "b"),
    equal_nan: bool = False,
    mismatches: tuple[int, int] = (_SHOWN, _SHOWN),
    use_broadcast: bool = True,
) -> None:
    """Raise AssertionError if too many elements differ.

    Parameters
    ----------
    a, b, rtol, atol, names, equal_nan, mismatches, use_broadcast
        As for `assert_almost_equal`.
    etol : float, default 0
        Fraction of the elements that may differ.
    """
    rtol, atol = get_tols(a, b, rtol, atol)
    a, b = _numpy(a), _numpy(b)
    if not use_broadcast and a.shape != b.shape:
        raise AssertionError(f"{names[0]} has shape {a.shape}, {names[1]} has {b.shape}")
    differs = ~np.isclose(a, b, rtol, atol, equal_nan)
    if differs.sum() > get_etol(etol) * differs.size:
        raise AssertionError(_difference(a, b, differs, (rtol, atol), names, mismatches[0]))


def assert_allclose(
    a: Any, b: Any, rtol: Tolerance = 1e-07, atol: Tolerance = 0, equal_nan: bool = True
) -> None:
    """Raise AssertionError unless two arrays are equal within NumPy's default tolerances."""
    assert_almost_equal(a, b, rtol, atol, equal_nan=equal_nan)


def assert_almost_equal_ignore_nan(
    a: Any,
    b: Any,
    rtol: Tolerance = None,
    atol: Tolerance = None,
    names: tuple[str, str] = ("a", "b"),
) -> None:
    """Compare as `assert_almost_equal`, ignoring elements that are NaN in either array."""
    a, b = _numpy(a), _numpy(b)
    ignored = np.isnan(a) | np.isnan(b)
    assert_almost_equal(np.where(ignored, 0, a), np.where(ignored, 0, b), rtol, atol, names)


def compare_ndarray_tuple(t1: Any, t2: Any, rtol: Tolerance = None, atol: Tolerance = None) -> None:
    """Compare two arrays, or two nested tuples of arrays; None matches anything."""
    if t1 is None or t2 is None:
        return
    if not isinstance(t1, tuple):
        assert_almost_equal(t1, t2, rtol, atol)
        return
    for one, other in zip(t1, t2, strict=False):
        compare_ndarray_tuple(one, other, rtol, atol)


def locationError(
    a: Any, b: Any, index: Any, names: tuple[str, str], maxError: bool = False
) -> str:
    """Return a one-line message with the elements of two arrays at `index`."""
    what = "maximum error" if maxError else "error"
    return f"Location of {what}: {index}, {names[0]}={a[index]:.8f}, {names[1]}={b[index]:.8f}"


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


def _difference(
    a: np.ndarray,
    b: np.ndarray,
    differs: np.ndarray,
    tolerances: tuple[float, float],
    names: tuple[str, str],
    shown: int,
) -> str:
    a, b = np.broadcast_arrays(a, b)
    rtol, atol = tolerances
    with np.errstate(all="ignore"):
        wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
        error = np.abs(wide_a - wide_b) / (atol + rtol * np.abs(wide_b))
    error = np.where(np.isnan(error), np.inf, error)
    worst = sorted(np.argwhere(differs).tolist(), key=lambda i: -error[tuple(i)])[:shown]
    lines = [
        f"{differs.sum()} of {differs.size} elements differ by more than rtol={rtol:g}, "
        f"atol={atol:g}; the worst, with errors in units of the tolerance:"
    ]
    for index in map(tuple, worst):
        lines.append(
            f"  {index}: {names[0]}={a[index]!s}, {names[1]}={b[index]!s}, error {error[index]:g}"
        )
    return "\n".join([*lines, f" {names[0]}: {a!r}", f" {names[1]}: {b!r}"])
