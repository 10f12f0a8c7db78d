"""Functions of operators in a namespace: made when first used, then ordinary attributes of it.

An attribute costs a call nothing, but it cannot depend on who calls. Invariant: a name is an
attribute only while no preference anywhere changes what it means; while one does, each use asks the
registry. Names that do not exist are remembered, so that `hasattr` is cheap, until anything is
registered.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ...base.errors import OperatorNotFoundError
from ...base.lazy_text import LazyText
from ..registry.entry import Entry
from ..registry.preference import preferred
from ..registry.registry import OPERATORS, find

__all__ = ["Functions", "SubNamespace", "contested", "forget_functions", "not_found"]

#: Missing names that are remembered at most.
MAX_MISSING = 10_000

_lock = threading.Lock()
_contested: Counter[str] = Counter()
_namespaces: list["KeptAttributes"] = []
_generation = 0
_not_found_text = OPERATORS.not_found_text


class KeptAttributes:
    """Attributes of a namespace that stand for operators, as long as their meaning is settled.

    Parameters
    ----------
    namespace : dict
        The module's own attributes.
    """

    def __init__(self, namespace: dict[str, Any]) -> None:
        #: Names that were not found. To be read alone.
        self.missing: set[str] = set()
        self._namespace = namespace
        # Attribute -> the names of operators whose meaning decides what it is.
        self._names: dict[str, tuple[str, ...]] = {}
        _namespaces.append(self)

    def keep(self, attribute: str, value: Any, names: tuple[str, ...], generation: int) -> None:
        """Keep an attribute, unless a preference or a registration may change what it means.

        Parameters
        ----------
        attribute : str
        value : object
        names : tuple of str
            The names of operators that were looked up in this order; the last one was found.
        generation : int
            The number of the registry's state before that.
        """
        with _lock:
            # A name that was found stays found, also if finding it loaded and registered a plugin.
            current = len(names) == 1 or generation == _generation
            # In a context that outlives its `with` block the preference still holds.
            if current and _contested.keys().isdisjoint(names) and not preferred():
                self._namespace[attribute] = value
                self._names[attribute] = names

    def remember_missing(self, attribute: str, names: Iterable[str], generation: int) -> None:
        """Remember that an attribute is not found, if no plugin is known to have the names."""
        with _lock:
            if generation == _generation and all(map(OPERATORS.is_settled, names)):
                if len(self.missing) >= MAX_MISSING:
                    self.missing.clear()
                self.missing.add(attribute)

    def forget(self, names: Iterable[str]) -> None:
        """Remove the attributes that depend on the meaning of `names`."""
        changed = {*names}
        self._remove(lambda used: not changed.isdisjoint(used))

    def forget_all(self) -> None:
        """Remove all of them."""
        self.missing.clear()
        self._remove(lambda used: True)

    def forget_fallbacks(self) -> None:
        """Remove the attributes that mean an operator because another name was not found.

        Names that were not found at all are looked up anew, too.
        """
        self.missing.clear()
        self._remove(lambda used: len(used) > 1)

    def _remove(self, chosen: Callable[[tuple[str, ...]], bool]) -> None:
        for attribute, used in [*self._names.items()]:
            if chosen(used):
                self._namespace.pop(attribute, None)
                del self._names[attribute]


class Functions:
    """The functions of operators in one namespace.

    Parameters
    ----------
    namespace : dict
        The module's own attributes.
    make : callable
        ``make(entry)`` returns the function of an operator.

    Attributes
    ----------
    missing : set of str
        Names that are known not to exist. To be read alone.
    """

    def __init__(self, namespace: dict[str, Any], make: Callable[[Entry], Any]) -> None:
        self._make = make
        self._made: dict[Entry, Any] = {}
        self._kept = KeptAttributes(namespace)
        self.missing = self._kept.missing

    def get(self, name: str) -> Any:
        """Return the function of the operator that `name` means here and now."""
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


class SubNamespace:
    """The operators of another namespace whose names begin with one of several prefixes.

    Parameters
    ----------
    namespace : dict
        The module's own attributes.
    prefixes : tuple of str
        Tried in this order.
    parent : callable
        Returns the other namespace.
    """

    def __init__(
        self, namespace: dict[str, Any], prefixes: tuple[str, ...], parent: Callable[[], Any]
    ) -> None:
        *self._first, self._last = prefixes
        self._parent = parent
        self._kept = KeptAttributes(namespace)
        self._missing = self._kept.missing
        self._module = namespace["__name__"]

    def attribute(self, name: str) -> Any:
        """Return what `name` means here and now: an operator, or an attribute of the parent.

        This is the module's ``__getattr__``.
        """
        if name in self._missing:
            raise not_found(self._last + name)
        if name.startswith("__"):
            raise AttributeError(f"module {self._module!r} has no attribute {name!r}")
        generation = _generation
        parent = self._parent()
        names = self._names(parent, name)
        try:
            value = getattr(parent, names[-1])
        except OperatorNotFoundError:
            self._kept.remember_missing(name, names, generation)
            raise
        self._kept.keep(name, value, names, generation)
        return value

    def _names(self, parent: Any, name: str) -> tuple[str, ...]:
        """Return the parent's attributes that are tried for a name; the last one is used."""
        tried = []
        for prefix in self._first:
            tried.append(prefix + name)
            if tried[-1] in vars(parent) or find(tried[-1]) is not None:
                return tuple(tried)
        return (*tried, self._last + name)


def not_found(name: str) -> OperatorNotFoundError:
    """Return the error for an operator that no plugin is known to have; made as fast as can be."""
    return OperatorNotFoundError(LazyText(_not_found_text, name))


def forget_functions() -> None:
    """Let every namespace ask the registry anew, after pins or the installed plugins changed."""
    with _lock:
        for kept in _namespaces:
            kept.forget_all()


@contextmanager
def contested(names: Iterable[str]) -> Iterator[None]:
    """Keep names out of the namespaces as long as their meaning depends on the context."""
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
    """Look all names up anew that were not found: something was registered."""
    global _generation
    with _lock:
        _generation += 1
        for kept in _namespaces:
            kept.forget_fallbacks()


OPERATORS.listeners.append(_forget_missing)
