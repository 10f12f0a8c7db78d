"""Name registries of optimizers, initializers and metrics.

One small class serves the three; operators and layers have their own registry in `opforge.op`.
Names are case-insensitive. The last class registered under a name wins, so that a program may
replace a stock one.
"""

import json
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from .spelling import close_names

T = TypeVar("T")

__all__ = ["NameRegistry"]


class NameRegistry(Generic[T]):
    """Classes of one kind by name, and the ways in which a user may name an instance.

    Parameters
    ----------
    base : type
        Class that every registered class derives from.
    kind : str
        What messages call such a thing, for instance ``"initializer"``.

    Examples
    --------
    >>> class Shape: pass
    >>> shapes = NameRegistry(Shape, "shape")
    >>> @shapes.register
    ... class Round(Shape): pass
    >>> type(shapes.create("round")).__name__
    'Round'
    """

    def __init__(self, base: type[T], kind: str) -> None:
        self.base = base
        self.kind = kind
        self._classes: dict[str, Callable[..., T]] = {}

    def register(self, cls: type[Any], name: str | None = None) -> type[Any]:
        """Register `cls` under `name` (default: its class name) and return it.

        Raises
        ------
        TypeError
            `cls` does not derive from the registry's base class.
        """
        if not (isinstance(cls, type) and issubclass(cls, self.base)):
            raise TypeError(
                f"can only register subclasses of {self.base.__name__} as {self.kind}, got {cls!r}"
            )
        self._classes[(name or cls.__name__).lower()] = cls
        return cls

    def alias(self, *names: str) -> Callable[[type[Any]], type[Any]]:
        """Return a class decorator that registers the class under each of `names` too."""

        def decorate(cls: type[Any]) -> type[Any]:
            for name in names:
                self.register(cls, name)
            return cls

        return decorate

    def add_factory(self, name: str, factory: Callable[..., T]) -> None:
        """Let `name` create what the function `factory` returns."""
        self._classes[name.lower()] = factory

    def names(self) -> list[str]:
        """Return the registered names, sorted."""
        return sorted(self._classes)

    def find(self, name: str) -> Callable[..., T]:
        """Return the class registered under `name`.

        Raises
        ------
        ValueError
            There is none; the message has close names.
        """
        try:
            return self._classes[name.lower()]
        except KeyError:
            close = close_names(name.lower(), self._classes)
            hint = f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
            raise ValueError(
                f"Cannot find {self.kind} {name}.{hint} "
                f"Registered: {', '.join(self.names())}. Add your own with {self.kind}.register."
            ) from None

    def create(self, spec: Any, *args: Any, **kwargs: Any) -> T:
        """Return the instance that `spec` describes.

        Parameters
        ----------
        spec : instance, class, str or dict
            An instance is returned as it is. A string is a name, or JSON: ``'["name", {...}]'`` as
            `dumps` of an initializer writes it, or an object with the key ``kind``.
        *args, **kwargs
            For the class, when `spec` is a name or a class.

        Raises
        ------
        TypeError
            `spec` is none of these, or arguments were given together with an instance.
        ValueError
            No class has this name.
        """
        if isinstance(spec, self.base):
            if args or kwargs:
                raise TypeError(
                    f"{self.kind} is already an instance of {type(spec).__name__}; "
                    "no further arguments can be given"
                )
            return spec
        if isinstance(spec, type) and issubclass(spec, self.base):
            return spec(*args, **kwargs)
        if isinstance(spec, dict):
            rest = dict(spec)
            return self.create(rest.pop(self.kind), **rest)
        if not isinstance(spec, str):
            raise TypeError(
                f"{self.kind} must be a name or an instance of {self.base.__name__}, got {spec!r}"
            )
        if spec.startswith("["):
            name, parameters = json.loads(spec)
            return self.find(name)(**parameters)
        if spec.startswith("{"):
            return self.create(json.loads(spec))
        return self.find(spec)(*args, **kwargs)
