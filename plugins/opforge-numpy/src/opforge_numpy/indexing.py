"""``x[key]`` with NumPy's semantics: scalars as arrays without axes."""

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
    """Replace scalar arrays by ints."""
    return tuple(map(_integer, key)) if type(key) is tuple else _integer(key)


def _integer(item: Any) -> Any:
    is_scalar = isinstance(item, NDArray | np.ndarray) and item.ndim == 0
    return int(item.item()) if is_scalar else item
