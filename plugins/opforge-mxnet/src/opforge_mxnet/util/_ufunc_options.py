"""Checks of NumPy's options of elementwise functions: `wrap_np_unary_func` and others."""

from collections.abc import Callable
from functools import wraps
from typing import Any

__all__ = ["np_ufunc_legal_option", "wrap_np_binary_func", "wrap_np_unary_func"]

#: Option of NumPy's elementwise functions -> its default.
_DEFAULTS = {"where": True, "casting": "same_kind", "order": "K", "dtype": None, "subok": True}
_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")
_DTYPES = ("int8", "uint8", "int32", "int64", "float16", "float32", "float64")


def np_ufunc_legal_option(key: str, value: Any) -> bool:
    """Return whether NumPy's elementwise functions have an option with such a value.

    Parameters
    ----------
    key : str
    value : object

    Examples
    --------
    >>> np_ufunc_legal_option("casting", "safe"), np_ufunc_legal_option("casting", "any")
    (True, False)
    """
    if key == "where":
        return True
    if key == "casting":
        return value in _CASTINGS
    if key == "order":
        return isinstance(value, str)
    if key == "dtype":
        return getattr(value, "__name__", value) in _DTYPES
    return key == "subok" and isinstance(value, bool)


def wrap_np_unary_func(func: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function of one array accept NumPy's options with their default values.

    Parameters
    ----------
    func : callable
        ``func(x, out=None)``.

    Returns
    -------
    callable
        It raises NotImplementedError for another value of an option, and TypeError for an unknown
        option or an illegal value.
    """

    @wraps(func)
    def wrapped(x: Any, out: Any = None, **kwargs: Any) -> Any:
        _check_options(func.__name__, kwargs)
        return func(x, out=out)

    return wrapped


def wrap_np_binary_func(func: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function of two arrays accept NumPy's options; see `wrap_np_unary_func`.

    Parameters
    ----------
    func : callable
        ``func(x1, x2, out=None)``.
    """

    @wraps(func)
    def wrapped(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
        _check_options(func.__name__, kwargs)
        return func(x1, x2, out=out)

    return wrapped


def _check_options(name: str, options: dict[str, Any]) -> None:
    for key, value in options.items():
        if key not in _DEFAULTS:
            raise TypeError(f"{key} is an invalid keyword to function '{name}'")
        if value == _DEFAULTS[key]:
            continue
        if np_ufunc_legal_option(key, value):
            raise NotImplementedError(f"{key}={value} is not implemented yet for operator {name}")
        raise TypeError(f"{key}={value} not understood for operator {name}")
