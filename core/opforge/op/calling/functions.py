"""Functions of operators in a namespace: made when first used, then ordinary attributes of it.

An attribute costs a call nothing, but it cannot depend on who calls. Invariant: a name is an
attribute only while no preference anywhere changes what it means; while one does, each use asks the
registry.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ..registry.entry import Entry
from ..registry.preference import preferred
from ..registry.registry import lookup

__all__ = ["Functions", "contested", "forget_functions"]

_lock = threading.Lock()
_contested: Counter[str] = Counter()
_namespaces: list["Functions"] = []


class Functions:
    """The functions of operators in one namespace.

    Parameters
    ----------
    namespace : dict
        The module's own attributes.
    make : callable
        ``make(entry)`` returns the function of an operator.
    """

    def __init__(self, namespace: dict[str, Any], make: Callable[[Entry], Any]) -> None:
        self._namespace = namespace
        self._make = make
        self._made: dict[Entry, Any] = {}
        self._kept: set[str] = set()
        _namespaces.append(self)

    def get(self, name: str) -> Any:
        """Return the function of the operator that `name` means here and now."""
        entry = lookup(name)
        function = self._made.get(entry)
        if function is None:
            function = self._made.setdefault(entry, self._make(entry))
        with _lock:
            # In a context that outlives its `with` block the preference still holds.
            if name not in _contested and not preferred():
                self._namespace[name] = function
                self._kept.add(name)
        return function

    def forget(self, names: Iterable[str]) -> None:
        """Take functions out of the namespace, so that the next use asks the registry."""
        for name in self._kept.intersection(names):
            self._namespace.pop(name, None)
            self._kept.discard(name)

    def forget_all(self) -> None:
        """Take all of them out."""
        self.forget(tuple(self._kept))


def forget_functions() -> None:
    """Let every namespace ask the registry anew, after pins or the installed plugins changed."""
    with _lock:
        for functions in _namespaces:
            functions.forget_all()


@contextmanager
def contested(names: Iterable[str]) -> Iterator[None]:
    """Keep names out of the namespaces as long as their meaning depends on the context."""
    mine = [*names]
    with _lock:
        _contested.update(mine)
        for functions in _namespaces:
            functions.forget(mine)
    try:
        yield
    finally:
        with _lock:
            _contested.subtract(mine)
            for name in mine:
                if not _contested[name]:
                    del _contested[name]
