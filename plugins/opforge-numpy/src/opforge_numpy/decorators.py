"""Decorators that make functions and classes run with NumPy semantics."""

import functools
import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from opforge.plugin_api import numpy_semantics as _semantics

__all__ = ["use_np", "use_np_array", "use_np_shape"]

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
Block = Callable[[], AbstractContextManager[Any]]


def use_np_shape(func: Decorated) -> Decorated:
    """Make a function, or all methods and properties of a class, run with NumPy's shapes.

    Parameters
    ----------
    func : callable or class

    Returns
    -------
    callable or class
        A function that calls `func` under `np_shape`; a class is modified and returned.

    Raises
    ------
    TypeError
        `func` is neither callable nor a class.

    Examples
    --------
    >>> from opforge import is_np_shape
    >>> use_np_shape(is_np_shape)()
    True
    """
    return _wrap_target("use_np_shape", func, _semantics.np_shape)


def use_np_array(func: Decorated) -> Decorated:
    """Make a function or a class run under `np_array`; see `use_np_shape`."""
    return _wrap_target("use_np_array", func, _semantics.np_array)


def use_np(func: Decorated) -> Decorated:
    """Make a function or a class run with NumPy's shapes and arrays; see `use_np_shape`."""
    return use_np_shape(use_np_array(func))


def _wrap_target(caller: str, target: Any, block: Block) -> Any:
    if not inspect.isclass(target):
        if not callable(target):
            raise TypeError(f"{caller} decorates functions and classes, got {target!r}")
        return _function(target, block)
    for name, member in inspect.getmembers_static(target):
        if isinstance(member, property):
            get, put, drop = (
                None if part is None else _function(part, block)
                for part in (member.fget, member.fset, member.fdel)
            )
            wrapped: Any = property(get, put, drop, member.__doc__)
        elif isinstance(member, staticmethod | classmethod):
            wrapped = type(member)(_function(member.__func__, block))
        elif inspect.isfunction(member):
            wrapped = _function(member, block)
        else:
            continue
        setattr(target, name, wrapped)
    return target


def _function(inner: Callable[..., Any], block: Block) -> Callable[..., Any]:
    @functools.wraps(inner)
    def under(*args: Any, **kwargs: Any) -> Any:
        with block():
            return inner(*args, **kwargs)

    return under
