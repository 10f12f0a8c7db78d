"""MXNet-style registries of classes that are created by name, such as optimizers and metrics.

Classes that the program registers take precedence, and the last one under a name is used, so that a
program can replace a built-in one. All other names are resolved in the kind's table, with the
contributions of opforge and plugins, like names of operators. Names are case-insensitive.
"""

import json
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from ...base.errors import OperatorNotFoundError
from ...base.spelling import close_names
from .catalogue import providers
from .entry import CORE
from .kinds import Kind
from .missing import offer
from .table import TABLES, Registry, report

T = TypeVar("T")

__all__ = ["NameRegistry"]


class NameRegistry(Generic[T]):
    """Registry of the classes of one kind, which creates instances from a specification.

    Parameters
    ----------
    base : type
        Class that every registered class derives from.
    kind : str
        Name of the kind in messages, for instance ``"initializer"``.

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
        # A kind that a program defines has an empty table.
        self._table = TABLES.get(kind) or Registry(Kind(kind, f"{kind}s", "", "", folded=True))
        self._own: dict[str, Callable[..., T]] = {}

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
        name = (name or cls.__name__).lower()
        if cls.__module__.startswith(f"{CORE}."):
            self._table.add_own(name, cls)
        else:
            self._own[name] = cls
        return cls

    def alias(self, *names: str) -> Callable[[type[Any]], type[Any]]:
        """Return a class decorator that registers the class under each of `names` too."""

        def decorate(cls: type[Any]) -> type[Any]:
            for name in names:
                self.register(cls, name)
            return cls

        return decorate

    def add_factory(self, name: str, factory: Callable[..., T]) -> None:
        """Register a function that creates the instances of `name`."""
        self._own[name.lower()] = factory

    def names(self) -> list[str]:
        """Return all names, including those of plugins that are not loaded, sorted."""
        return sorted({*self._own, *map(self._table.kind.key, self._table.names())})

    def find(self, name: str) -> Callable[..., T]:
        """Return the class of this name, short or ``distribution::name``.

        Raises
        ------
        ValueError
            No class has this name; the message suggests similar names.
        AmbiguousOperatorError, PluginError
            Several plugins provide it without a pin, or the pinned one does not provide it.
        """
        own = self._own.get(name.lower())
        if own is not None:
            return own
        try:
            found: Callable[..., T] = self._table.lookup(name).prop_class
        except OperatorNotFoundError:
            raise ValueError(self._not_found(name)) from None
        return found

    def _not_found(self, name: str) -> str:
        known, wrong = self.names(), report(self.kind, name)
        offered = providers(self.kind)[0] if self.kind in TABLES else {}
        providing = {self._table.kind.key(n): text for n, text in offered.items()}.get(name.lower())
        if providing is not None:
            rest = f" {offer(providing, wrong)}"
        else:
            close = close_names(name.lower(), known)
            hint = f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
            there = f" Registered: {', '.join(known)}." if known else ""
            rest = f"{hint}{there} Register your own, or install a plugin that has it."
        return f"Cannot find {self.kind} {name}.{rest}" + (f"\n{wrong}" if wrong else "")

    def create(self, spec: Any, *args: Any, **kwargs: Any) -> T:
        """Return the instance that `spec` describes.

        Parameters
        ----------
        spec : instance, class, str or dict
            An instance is returned unchanged. A string is a name or JSON: ``'["name", {...}]'``, as
            written by `dumps` of an initializer, or an object with the key ``kind``.
        *args, **kwargs
            Arguments of the class, if `spec` is a name or a class.

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
