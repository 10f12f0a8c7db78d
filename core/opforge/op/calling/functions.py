"""Functions of operators in a namespace, created on first use and then cached as attributes.

An attribute adds no overhead to a call, but it cannot depend on the context of the caller.
Invariant: a name is an attribute only while no preference in any context changes its meaning; while
one does, each use queries the registry. Missing names are cached as well, so that `hasattr` is
cheap, until something is registered.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType
from typing import Any

from ...base.errors import OperatorNotFoundError
from ...base.lazy_text import LazyText
from ...base.module_aliases import alias_of
from ..registry.catalogue import providers
from ..registry.entry import Entry
from ..registry.preference import preferred
from ..registry.registry import OPERATORS, find
from ..registry.table import TABLES

__all__ = [
    "Functions",
    "RenamedOperators",
    "SubNamespace",
    "contested",
    "forget_functions",
    "not_found",
]

#: Upper bound of cached missing names.
MAX_MISSING = 10_000

_lock = threading.Lock()
_contested: Counter[str] = Counter()
_namespaces: list["KeptAttributes"] = []
_all_made: list[dict[Entry, Any]] = []
_generation = 0
_not_found_text = OPERATORS.not_found_text


class KeptAttributes:
    """Cached attributes of a namespace that refer to operators.

    Parameters
    ----------
    namespace : dict
        Attributes of the module.
    """

    def __init__(self, namespace: dict[str, Any]) -> None:
        #: Names that were not found. Read-only.
        self.missing: set[str] = set()
        self._namespace = namespace
        # Attribute -> names of operators that it depends on, and its value.
        self._kept: dict[str, tuple[tuple[str, ...], Any]] = {}
        _namespaces.append(self)

    def keep(self, attribute: str, value: Any, names: tuple[str, ...], generation: int) -> None:
        """Cache an attribute, unless a preference or a registration may change its meaning.

        Parameters
        ----------
        attribute : str
        value : object
        names : tuple of str
            Names of operators that were looked up, in order; only the last one was found.
        generation : int
            Generation of the registry before the lookup.
        """
        with _lock:
            # A name that was found stays found, even if the lookup loaded and registered a plugin.
            current = len(names) == 1 or generation == _generation
            # A preference still applies in a context that outlives its `with` block.
            if current and _contested.keys().isdisjoint(names) and not preferred():
                self._namespace[attribute] = value
                self._kept[attribute] = names, value

    def remember_missing(self, attribute: str, names: Iterable[str], generation: int) -> None:
        """Cache that an attribute is missing, if it is certain that no plugin has the names."""
        with _lock:
            if generation == _generation and all(map(OPERATORS.is_settled, names)):
                if len(self.missing) >= MAX_MISSING:
                    self.missing.clear()
                self.missing.add(attribute)

    def forget(self, names: Iterable[str]) -> None:
        """Remove the attributes that depend on `names`."""
        changed = {*names}
        self._remove(lambda used: not changed.isdisjoint(used))

    def forget_all(self) -> None:
        """Remove all cached attributes."""
        self.missing.clear()
        self._remove(lambda used: True)

    def forget_fallbacks(self) -> None:
        """Remove the attributes whose lookup fell back to a later name, and the missing names."""
        self.missing.clear()
        self._remove(lambda used: len(used) > 1)

    def _remove(self, chosen: Callable[[tuple[str, ...]], bool]) -> None:
        for attribute, (used, value) in [*self._kept.items()]:
            if chosen(used):
                # A program may have put a function of its own in place of the operator.
                if self._namespace.get(attribute) is value:
                    del self._namespace[attribute]
                del self._kept[attribute]


class Functions:
    """Functions of operators in a namespace.

    Parameters
    ----------
    namespace : dict
        Attributes of the module.
    make : callable
        ``make(entry)`` returns the function of an operator.

    Attributes
    ----------
    missing : set of str
        Names that are known not to exist. Read-only.
    """

    def __init__(self, namespace: dict[str, Any], make: Callable[[Entry], Any]) -> None:
        self._make = make
        self._made: dict[Entry, Any] = {}
        _all_made.append(self._made)
        self._kept = KeptAttributes(namespace)
        self._namespace = namespace
        self.missing = self._kept.missing

    def get(self, name: str) -> Any:
        """Return the function of the operator that `name` refers to in the current context."""
        if name in self.missing:
            raise not_found(name)
        if name.startswith("__"):
            module = self._namespace["__name__"]
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        generation = _generation
        entry = find(name)
        if entry is None:
            self._kept.remember_missing(name, [name], generation)
            raise OPERATORS.not_found(name)
        function = self._made.get(entry)
        if function is None:
            function = self._made.setdefault(entry, self._make(entry))
        self._kept.keep(name, function, (name,), generation)
        return function

    def attribute(self, name: str) -> Any:
        """Return the function of an operator, or what a plugin adds to the module.

        This serves as the module's ``__getattr__``.
        """
        if name in self.missing:
            raise not_found(name)
        try:
            return self.get(name)
        except AttributeError:
            found = alias_of(self._namespace["__name__"], name)
            if found is None:
                raise
        value = self._namespace[name] = found()
        return value


class SubNamespace:
    """View of the operators of another namespace whose names have one of several prefixes.

    Parameters
    ----------
    namespace : dict
        Attributes of the module.
    prefixes : tuple of str
        Prefixes, tried in this order.
    parent : callable
        Returns the other namespace.
    """

    def __init__(
        self, namespace: dict[str, Any], prefixes: tuple[str, ...], parent: Callable[[], Any]
    ) -> None:
        *self._first, self._last = prefixes
        self._prefix = prefixes[0]
        self._namespace = namespace
        self._parent = parent
        self._kept = KeptAttributes(namespace)
        self._missing = self._kept.missing
        self._module = namespace["__name__"]

    def names(self) -> list[str]:
        """Return the module's own functions, and the operators that have the first prefix.

        This is the module's ``__all__``; operators of plugins are not loaded.
        """
        is_internal = self._module.endswith("._internal")
        found = {name for name, value in self._namespace.items() if isinstance(value, FunctionType)}
        found.difference_update(("__getattr__", "__dir__"))
        for name in OPERATORS.names():
            rest = name.removeprefix(self._prefix)
            if name.startswith(self._prefix) and rest.startswith("_") == is_internal:
                found.add(rest)
        return sorted(found)

    def attribute(self, name: str) -> Any:
        """Return the operator or the attribute of the parent that `name` refers to.

        This is the module's ``__getattr__``.
        """
        if name == "__all__":
            return self.names()
        if name in self._missing:
            raise not_found(self._last + name)
        if name.startswith("__"):
            raise AttributeError(f"module {self._module!r} has no attribute {name!r}")
        generation = _generation
        parent = self._parent()
        names = self._names(parent, name)
        try:
            value = self._named(getattr(parent, names[-1]), name)
        except OperatorNotFoundError:
            for tried in names[:-1]:
                if tried in providers("operator")[0] or OPERATORS.explain_missing(tried):
                    raise OPERATORS.not_found(tried) from None
            self._kept.remember_missing(name, names, generation)
            raise
        self._kept.keep(name, value, names, generation)
        return value

    def _named(self, value: Any, name: str) -> Any:
        """Return the attribute `name` for the parent's."""
        return value

    def _names(self, parent: Any, name: str) -> tuple[str, ...]:
        """Return the parent's attributes to try for a name, up to the one that is used."""
        tried = []
        for prefix in self._first:
            tried.append(prefix + name)
            if tried[-1] in vars(parent) or find(tried[-1]) is not None:
                return tuple(tried)
        return (*tried, self._last + name)


class RenamedOperators(SubNamespace):
    """View of operators of another namespace under other names, as functions of these names.

    Parameters
    ----------
    namespace : dict
        Attributes of the module.
    operators : mapping of str to str
        Attribute -> name of the operator.
    parent : callable
        Returns the other namespace.
    """

    def __init__(
        self, namespace: dict[str, Any], operators: Mapping[str, str], parent: Callable[[], Any]
    ) -> None:
        super().__init__(namespace, ("",), parent)
        self._operators = operators

    def attribute(self, name: str) -> Any:
        """Return the function of the operator that the table has under `name`."""
        if name not in self._operators:
            raise AttributeError(f"module {self._module!r} has no attribute {name!r}")
        return super().attribute(name)

    def _names(self, parent: Any, name: str) -> tuple[str, ...]:
        return (self._operators[name],)

    def _named(self, value: Any, name: str) -> Any:
        """Return a copy of a function with another name; its calls cost the same."""
        copy = FunctionType(
            value.__code__, value.__globals__, name, value.__defaults__, value.__closure__
        )
        copy.__kwdefaults__ = value.__kwdefaults__
        copy.__dict__.update(vars(value))
        copy.__doc__, copy.__module__, copy.__qualname__ = value.__doc__, self._module, name
        return copy


def not_found(name: str) -> OperatorNotFoundError:
    """Return the error for a missing operator, without formatting its message yet."""
    return OperatorNotFoundError(LazyText(_not_found_text, name))


def forget_functions() -> None:
    """Clear the caches of all namespaces, after pins or installed plugins have changed."""
    with _lock:
        for kept in _namespaces:
            kept.forget_all()


@contextmanager
def contested(names: Iterable[str]) -> Iterator[None]:
    """Disable caching of names inside the block, while they depend on the context."""
    mine = [*names]
    with _lock:
        _contested.update(mine)
        for kept in _namespaces:
            kept.forget(mine)
    try:
        yield
    finally:
        with _lock:
            _contested.subtract(mine)
            for name in mine:
                if not _contested[name]:
                    del _contested[name]


def _forget_missing() -> None:
    """Clear the cached missing names, after a registration."""
    global _generation
    with _lock:
        _generation += 1
        for kept in _namespaces:
            kept.forget_fallbacks()


def _forget_made() -> None:
    """Make all functions again, after the rules of operators have changed."""
    forget_functions()
    with _lock:
        for made in _all_made:
            made.clear()


OPERATORS.listeners.append(_forget_missing)
TABLES["rule"].listeners.append(_forget_made)
