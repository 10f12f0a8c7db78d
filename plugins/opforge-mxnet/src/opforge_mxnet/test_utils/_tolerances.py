"""Default tolerances and finite-difference steps by element type, under MXNet's names."""

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = [
    "default_atols",
    "default_numeric_eps",
    "default_rtols",
    "effective_dtype",
    "get_atol",
    "get_etol",
    "get_rtol",
    "get_tolerance",
    "get_tols",
]

#: A tolerance for all element types, or one for each; None: the defaults.
Tolerance = float | Mapping[Any, float] | None

_EXACT = ("bool", "int8", "uint8", "int32", "uint32", "int64", "uint64")
_RTOLS = dict.fromkeys(_EXACT, 0.0) | {"float16": 1e-2, "float32": 1e-4, "float64": 1e-5}
_ATOLS = dict.fromkeys(_EXACT, 0.0) | {"float16": 1e-1, "float32": 1e-3, "float64": 1e-20}
# Powers of two, because adding one to a number of ordinary magnitude does not round it.
_STEPS = {"float16": 2.0**-6, "float32": 2.0**-9, "float64": 2.0**-14}


def default_rtols() -> dict[Any, float]:
    """Return the default relative tolerance of each element type."""
    return _by_dtype(_RTOLS)


def default_atols() -> dict[Any, float]:
    """Return the default absolute tolerance of each element type."""
    return _by_dtype(_ATOLS)


def default_numeric_eps() -> dict[Any, float]:
    """Return the default step of finite differences of each element type."""
    return _by_dtype(_STEPS)


def get_rtol(rtol: float | None = None, dtype: Any = np.float64) -> float:
    """Return `rtol`, or the default relative tolerance of `dtype` if it is None."""
    return _RTOLS.get(np.dtype(dtype).name, 0.0) if rtol is None else rtol


def get_atol(atol: float | None = None, dtype: Any = np.float64) -> float:
    """Return `atol`, or the default absolute tolerance of `dtype` if it is None."""
    return _ATOLS.get(np.dtype(dtype).name, 0.0) if atol is None else atol


def get_etol(etol: float | None = None) -> float:
    """Return `etol`, the fraction of elements that may be wrong, or 0 if it is None."""
    return 0 if etol is None else etol


def effective_dtype(dat: Any) -> np.dtype[Any]:
    """Return the element type that determines the tolerance of `dat`, on a CPU always its own."""
    return np.dtype(dat.dtype)


def get_tolerance(dat: Any, tol: Tolerance, default_tol: Mapping[Any, float]) -> float:
    """Return the tolerance of one array.

    Parameters
    ----------
    dat : NDArray or numpy.ndarray
    tol : float, dict of dtype to float, or None
    default_tol : dict of dtype to float
        Used if `tol` is None or does not have the element type.
    """
    if isinstance(tol, numbers.Real):
        return float(tol)
    dtype = effective_dtype(dat)
    chosen = tol if isinstance(tol, Mapping) and dtype in tol else default_tol
    return chosen.get(dtype, 0.0)


def get_tols(x: Any, y: Any, rtol: Tolerance, atol: Tolerance) -> tuple[float, float]:
    """Return the relative and the absolute tolerance of the less precise of two arrays.

    Parameters
    ----------
    x, y : NDArray, numpy.ndarray or number
    rtol, atol : float, dict of dtype to float, or None
    """
    pair = [v if hasattr(v, "dtype") else np.asarray(v) for v in (x, y)]
    return (
        max(get_tolerance(v, rtol, default_rtols()) for v in pair),
        max(get_tolerance(v, atol, default_atols()) for v in pair),
    )


def _by_dtype(table: Mapping[str, float]) -> dict[Any, float]:
    return {np.dtype(name): value for name, value in table.items()}
