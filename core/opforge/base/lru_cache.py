"""`LRUCache`: a least-recently-used cache that is bounded in bytes."""

from collections import OrderedDict
from contextlib import suppress
from typing import Generic, TypeVar

__all__ = ["LRUCache"]

Key = TypeVar("Key")
Value = TypeVar("Value")


class _Entry(Generic[Value]):
    """A value and its size in bytes."""

    __slots__ = ("nbytes", "value")

    def __init__(self, value: Value, nbytes: int) -> None:
        self.value = value
        self.nbytes = nbytes


class LRUCache(Generic[Key, Value]):
    """Least-recently-used cache with an upper bound of the total size.

    The value stored last is kept even if it exceeds the bound. Several threads may use a cache:
    each step is a single dictionary operation, and a value that another thread drops meanwhile is
    simply missing.

    Parameters
    ----------
    limit : int
        Maximum total size in bytes.

    Examples
    --------
    >>> kept = LRUCache(100)
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
        """Return the value and mark it as used; None if the key is missing."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        if entry is not self._newest:
            self._newest = entry
            with suppress(KeyError):
                self._entries.move_to_end(key)
        return entry.value

    def put(self, key: Key, value: Value, nbytes: int) -> None:
        """Store a value; it replaces an earlier one with this key."""
        self.drop(key)
        entry = self._newest = self._entries[key] = _Entry(value, nbytes)
        self.nbytes += nbytes
        self._evict(entry)

    def grow(self, key: Key, nbytes: int) -> None:
        """Increase the recorded size of a value, if it is cached, by `nbytes`."""
        entry = self._entries.get(key)
        if entry is not None:
            entry.nbytes += nbytes
            self.nbytes += nbytes
            self._evict(entry)

    def drop(self, key: Key) -> Value | None:
        """Remove a value and return it; None if the key is missing."""
        entry = self._entries.pop(key, None)
        if entry is None:
            return None
        self.nbytes -= entry.nbytes
        return entry.value

    def _evict(self, newest: _Entry[Value]) -> None:
        while self.nbytes > self.limit and self._entries:
            key, entry = next(iter(self._entries.items()))
            if entry is newest:
                if len(self._entries) == 1:
                    return
                self._entries.move_to_end(key)
            else:
                self.drop(key)

    def values(self) -> list[Value]:
        """Return the values, most recently used last."""
        return [entry.value for entry in self._entries.values()]

    def __len__(self) -> int:
        return len(self._entries)
