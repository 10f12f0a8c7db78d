"""Scopes: objects used as ``with`` blocks, with a current one per thread. Layer 0."""

import threading
from typing import Any

__all__ = ["ScopeType"]


class ScopeType(type):
    """Metaclass of scopes; a class and its subclasses share the current scope.

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
        """The innermost scope of this thread, created by the base class if missing."""
        scope = getattr(cls._innermost, "scope", None)
        if scope is None:
            scope = cls._innermost.scope = cls._root()
        return scope

    @current.setter
    def current(cls, scope: Any) -> None:
        cls._innermost.scope = scope
