"""Automatic names of symbols and blocks: `NameManager` and `Prefix`.

A manager is used in a ``with`` block; the thread's innermost one is `NameManager.current`. Each
thread starts with its own plain manager, so that counters never race.
"""

from .base.scopes import ScopeType

__all__ = ["NameManager", "Prefix"]


class NameManager(metaclass=ScopeType):
    """Generator of the names ``hint0``, ``hint1``, ... for objects created without a name.

    Examples
    --------
    >>> manager = NameManager()
    >>> manager.get(None, "dense"), manager.get(None, "dense"), manager.get("mine", "dense")
    ('dense0', 'dense1', 'mine')
    """

    def __init__(self) -> None:
        self._counter: dict[str, int] = {}
        self._outer: list[NameManager] = []

    def get(self, name: str | None, hint: str) -> str:
        """Return `name` if it is given, else `hint` with the next number."""
        if name:
            return name
        count = self._counter.get(hint, 0)
        self._counter[hint] = count + 1
        return f"{hint}{count}"

    def __enter__(self) -> "NameManager":
        # A subclass with its own `get` need not call the constructor.
        vars(self).setdefault("_outer", []).append(NameManager.current)
        NameManager.current = self
        return self

    def __exit__(self, *exc: object) -> None:
        NameManager.current = self._outer.pop()


class Prefix(NameManager):
    """Name manager that prepends `prefix` to every name, given or generated.

    Examples
    --------
    >>> Prefix("net_").get(None, "dense")
    'net_dense0'
    """

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def get(self, name: str | None, hint: str) -> str:
        """Return the prefix followed by the result of `NameManager.get`."""
        return self._prefix + super().get(name, hint)
