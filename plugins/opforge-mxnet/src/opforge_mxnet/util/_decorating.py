"""The decorator that sets the module of a function or class."""

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["set_module"]

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def set_module(module: str | None) -> Callable[[Decorated], Decorated]:
    """Return a decorator that sets ``__module__`` of a function or class.

    If `module` is None, the decorator changes nothing.
    """

    def decorate(func: Decorated) -> Decorated:
        if module is not None:
            func.__module__ = module
        return func

    return decorate
