"""Automatic names of symbols and blocks: `NameManager` and `Prefix`.

A manager is a ``with`` block; the innermost one of the thread answers. Each thread starts with
a plain manager of its own, so that counters never race.
"""

import threading

__all__ = ["NameManager", "Prefix", "current"]

_state = threading.local()


class NameManager:
    """Gives ``hint0``, ``hint1``, ... to whatever comes without a name.

    Examples
    --------
    >>> manager = NameManager()
    >>> manager.get(None, "dense"), manager.get(None, "dense"), manager.get("mine", "dense")
    ('dense0', 'dense1', 'mine')
    """

    def __init__(self) -> None:
        self._counter: dict[str, int] = {}
        self._outer: list[NameManager | None] = []

    def get(self, name: str | None, hint: str) -> str:
        """Return `name` where there is one, else `hint` with the next number."""
        if name:
            return name
        count = self._counter.get(hint, 0)
        self._counter[hint] = count + 1
        return f"{hint}{count}"

    @staticmethod
    def current() -> "NameManager":
        """Return the innermost manager of this thread."""
        return current()

    def __enter__(self) -> "NameManager":
        self._outer.append(getattr(_state, "current", None))
        _state.current = self
        return self

    def __exit__(self, *exc: object) -> None:
        _state.current = self._outer.pop()


class Prefix(NameManager):
    """A manager that puts `prefix` before every name, given or made.

    Examples
    --------
    >>> Prefix("net_").get(None, "dense")
    'net_dense0'
    """

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def get(self, name: str | None, hint: str) -> str:
        """Return the prefix followed by what `NameManager.get` gives."""
        return self._prefix + super().get(name, hint)


def current() -> NameManager:
    """Return the innermost manager of this thread, made when there is none yet."""
    manager = getattr(_state, "current", None)
    if manager is None:
        manager = _state.current = NameManager()
    return manager
