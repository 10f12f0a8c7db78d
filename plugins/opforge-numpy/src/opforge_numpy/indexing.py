"""``x[key]`` with NumPy's semantics: boolean masks, and scalars as arrays without axes."""

from typing import Any

import numpy as np

from opforge.plugin_api import array_classes

__all__ = ["read_item", "write_item"]

NDArray = array_classes.NDArray
_read, _write = NDArray.__getitem__, NDArray.__setitem__
_BASIC = frozenset({int, slice, type(None), type(Ellipsis)})


def read_item(x: Any, key: Any) -> Any:
    """Return the selected elements; basic contiguous selections are views."""
    return _read(x, key if type(key) in _BASIC else _integer_key(key))


def write_item(x: Any, key: Any, value: Any) -> None:
    """Write `value`, broadcast and cast, to the selected elements."""
    _write(x, key if type(key) in _BASIC else _integer_key(key), value)


def _integer_key(key: Any) -> Any:
    """Replace masks by the indices of their true elements, and scalar arrays by ints."""
    items = key if type(key) is tuple else (key,)
    if all(type(item) in _BASIC for item in items):
        return key
    found: list[Any] = []
    for item in items:
        if _is_mask(item):
            found.extend(np.nonzero(np.asarray(item)))
        elif isinstance(item, NDArray | np.ndarray) and item.ndim == 0:
            found.append(int(item.item()))
        else:
            found.append(item)
    return found[0] if not isinstance(key, tuple) and len(found) == 1 else tuple(found)


def _is_mask(item: Any) -> bool:
    if isinstance(item, NDArray | np.ndarray):
        return bool(item.dtype == np.bool_)
    return isinstance(item, list) and bool(item) and np.asarray(item).dtype == np.bool_
