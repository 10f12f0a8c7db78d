"""Registries of user-defined classes, with MXNet's functions.

There is one registry for each base class, a `NameRegistry` as optimizers and metrics have.
"""

import warnings
from collections.abc import Callable
from typing import Any

from opforge.op.registry.named import NameRegistry

from .names import add_names as _add_names

__all__ = ["get_alias_func", "get_create_func", "get_register_func", "get_registry"]

_registries: dict[type, NameRegistry[Any]] = {}


def get_registry(base_class: type) -> dict[str, Callable[..., Any]]:
    """Return the registered classes by lower-case name, as a new dict."""
    registry = _registry(base_class, base_class.__name__)
    return {name: registry.find(name) for name in registry.names()}


def get_register_func(base_class: type, nickname: str) -> Callable[..., Any]:
    """Return a class decorator that registers subclasses.

    Parameters
    ----------
    base_class : type
    nickname : str
        What messages call such a class.

    Returns
    -------
    callable
        ``register(klass, name=None)`` returns `klass`; replacing a name emits a warning.

    Examples
    --------
    >>> class Shape: pass
    >>> register = get_register_func(Shape, "shape")
    >>> @register
    ... class Round(Shape): pass
    >>> type(get_create_func(Shape, "shape")("round")).__name__
    'Round'
    """
    registry = _registry(base_class, nickname)

    def register(klass: type, name: str | None = None) -> type:
        """Register a class under its name or another."""
        key = (name or klass.__name__).lower()
        if key in registry.names() and registry.find(key) is not klass:
            warnings.warn(
                f"New {nickname} {klass.__module__}.{klass.__name__} registered with name {key} "
                f"is overriding existing {nickname} {_full_name(registry.find(key))}",
                UserWarning,
                stacklevel=2,
            )
        return registry.register(klass, name)

    return register


def get_alias_func(base_class: type, nickname: str) -> Callable[..., Any]:
    """Return ``alias(*names)``, a class decorator that registers a class under further names."""
    register = get_register_func(base_class, nickname)

    def alias(*names: str) -> Callable[[type], type]:
        """Return a decorator that registers a class under each of the names."""

        def decorate(klass: type) -> type:
            for name in names:
                register(klass, name)
            return klass

        return decorate

    return alias


def get_create_func(base_class: type, nickname: str) -> Callable[..., Any]:
    """Return ``create(spec, ...)``, which creates an instance.

    Parameters
    ----------
    base_class : type
    nickname : str
        Also the keyword under which `create` takes its first argument.

    Returns
    -------
    callable
        An instance is returned unchanged. A string is a registered name, or JSON:
        ``'["name", {...}]'``, or an object with `nickname` as a key; so is a dict.
    """
    registry = _registry(base_class, nickname)

    def create(*args: Any, **kwargs: Any) -> Any:
        """Return the instance that the arguments describe."""
        if not args:
            args = (kwargs.pop(nickname),)
        return registry.create(*args, **kwargs)

    return create


def _registry(base_class: type, nickname: str) -> NameRegistry[Any]:
    if base_class not in _registries:
        _registries[base_class] = NameRegistry(base_class, nickname)
    return _registries[base_class]


def _full_name(made: Any) -> str:
    return f"{made.__module__}.{made.__qualname__}"


_add_names(__name__)
