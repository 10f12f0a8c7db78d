"""`Recent`: values by key, of which those used last are kept, within a bound in bytes."""

from collections import OrderedDict
from contextlib import suppress
from typing import Generic, TypeVar

__all__ = ["Recent"]

Key = TypeVar("Key")
Value = TypeVar("Value")


class _Entry(Generic[Value]):
    """A value and how many bytes it counts."""

    __slots__ = ("nbytes", "value")

    def __init__(self, value: Value, nbytes: int) -> None:
        self.value = value
        self.nbytes = nbytes


class Recent(Generic[Key, Value]):
    """Values by key; when they are too large together, those that were not used longest go.

    The one that was put last stays however large it is. Several threads may use it: each step is
    one operation of a dictionary, and a value that another thread drops meanwhile is gone, no more.

    Parameters
    ----------
    limit : int
        Most bytes.

    Examples
    --------
    >>> kept = Recent(100)
    >>> for key in ("a", "b", "c"):
    ...     kept.put(key, key.upper(), 40)
    >>> kept.get("a"), kept.get("c"), kept.nbytes
    (None, 'C', 80)
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.nbytes = 0
        self._entries: OrderedDict[Key, _Entry[Value]] = OrderedDict()
        self._newest: _Entry[Value] | None = None

    def get(self, key: Key) -> Value | None:
        """Return the value and count it as used; None where there is none."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        if entry is not self._newest:
            self._newest = entry
            with suppress(KeyError):
                self._entries.move_to_end(key)
        return entry.value

    def put(self, key: Key, value: Value, nbytes: int) -> None:
        """Keep a value, in place of another one of this key."""
        self.drop(key)
        entry = self._newest = self._entries[key] = _Entry(value, nbytes)
        self.nbytes += nbytes
        self._make_room(entry)

    def grow(self, key: Key, nbytes: int) -> None:
        """Count a value, if it is kept, as so many bytes larger."""
        entry = self._entries.get(key)
        if entry is not None:
            entry.nbytes += nbytes
            self.nbytes += nbytes
            self._make_room(entry)

    def drop(self, key: Key) -> Value | None:
        """Return a value and keep it no longer."""
        entry = self._entries.pop(key, None)
        if entry is None:
            return None
        self.nbytes -= entry.nbytes
        return entry.value

    def _make_room(self, newest: _Entry[Value]) -> None:
        while self.nbytes > self.limit and self._entries:
            key, entry = next(iter(self._entries.items()))
            if entry is newest:
                if len(self._entries) == 1:
                    return
                self._entries.move_to_end(key)
            else:
                self.drop(key)

    def values(self) -> list[Value]:
        """Return the values, those used last at the end."""
        return [entry.value for entry in self._entries.values()]

    def __len__(self) -> int:
        return len(self._entries)
