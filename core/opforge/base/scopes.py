"""Scopes: objects used as ``with`` blocks, of which each thread has an innermost one. Layer 0."""

import threading
from typing import Any

__all__ = ["ScopeType"]


class ScopeType(type):
    """The type of a class of scopes; subclasses have the same innermost one.

    Examples
    --------
    >>> class Scope(metaclass=ScopeType): ...
    >>> class Inner(Scope): ...
    >>> type(Scope.current).__name__
    'Scope'
    >>> Scope.current = Inner()
    >>> type(Inner.current).__name__
    'Inner'
    """

    _root: Any
    _innermost: threading.local

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        super().__init__(name, bases, namespace)
        if not any(isinstance(base, ScopeType) for base in bases):
            cls._root, cls._innermost = cls, threading.local()

    @property
    def current(cls) -> Any:
        """The innermost scope of this thread; a plain one is made where there is none yet."""
        scope = getattr(cls._innermost, "scope", None)
        if scope is None:
            scope = cls._innermost.scope = cls._root()
        return scope

    @current.setter
    def current(cls, scope: Any) -> None:
        cls._innermost.scope = scope
