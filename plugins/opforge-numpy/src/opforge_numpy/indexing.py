"""``x[key]`` with NumPy's semantics: scalars as arrays without axes."""

from typing import Any

import numpy as np

from opforge.plugin_api import array_classes

__all__ = ["read_item", "write_item"]

NDArray = array_classes.NDArray
_read_adjacent, _write_adjacent = array_classes.read_adjacent, array_classes.write_adjacent
_read_rows = array_classes.read_rows
_read, _write = NDArray.__getitem__, NDArray.__setitem__
_BASIC = frozenset({int, slice, type(None), type(Ellipsis)})


def read_item(x: Any, key: Any) -> Any:
    """Return the selected elements; basic contiguous selections are views."""
    part = _read_adjacent(x, key)
    if part is not None:
        return part
    if type(key) is type(x):
        rows = _read_rows(x, key)
        if rows is not None:
            return rows
    if type(key) not in _BASIC and not _is_index_array(key):
        if _is_scalar_mask(key):
            return _read(_with_axes(x, 1), slice(int(key.item())))
        if _has_single_bool(key):
            return _read_positions(x, _positions(x, key))
        key = _integer_key(key)
    if not x.ndim and _adds_axes(key):
        return _with_axes(x, 1 if key is None else len(key) - key.count(Ellipsis))
    return _read(x, key)


def write_item(x: Any, key: Any, value: Any) -> None:
    """Write `value`, broadcast and cast, to the selected elements."""
    if _write_adjacent(x, key, value):
        return
    if type(key) not in _BASIC and not _is_index_array(key):
        if _is_scalar_mask(key):
            if not key.item():
                return
            key = ...
        elif _has_single_bool(key):
            _write_positions(x, _positions(x, key), value)
            return
        key = _integer_key(key)
    _write(x, ... if not x.ndim and _adds_axes(key) else key, value)


def _is_index_array(key: Any) -> bool:
    """Return whether a key is an array with axes, which all classes of arrays read equally."""
    return isinstance(key, NDArray) and bool(key.shape)


def _is_scalar_mask(key: Any) -> bool:
    """Return whether a key is a bool array without axes, which selects everything or nothing."""
    return isinstance(key, NDArray | np.ndarray) and not key.ndim and key.dtype == np.bool_


def _adds_axes(key: Any) -> bool:
    """Return whether a key of an array without axes has nothing but new axes and Ellipsis."""
    if type(key) is not tuple:
        return key is None
    return bool(key) and all(item is None or item is Ellipsis for item in key)


def _with_axes(x: Any, count: int) -> Any:
    """Return a view of an array with axes of length 1 before the others."""
    from .arguments import with_shape

    return with_shape(x, (1,) * count + x.shape)


def _integer_key(key: Any) -> Any:
    """Replace scalar arrays by ints, and tuples in a tuple by lists."""
    return tuple(map(_integer, key)) if type(key) is tuple else _integer(key)


def _integer(item: Any) -> Any:
    if type(item) is tuple:  # a sequence of indices, as in NumPy
        return list(item)
    is_scalar = isinstance(item, NDArray | np.ndarray) and item.ndim == 0
    return int(item.item()) if is_scalar else item


# -- single booleans ----------------------------------------------------------------------------


def _has_single_bool(key: Any) -> bool:
    """Return whether an index has a single True or False, which NumPy counts as a mask."""
    items = key if type(key) is tuple else (key,)
    return any(map(_is_single_bool, items))


def _is_single_bool(item: Any) -> bool:
    if isinstance(item, NDArray | np.ndarray):
        return not item.shape and np.dtype(item.dtype) == np.bool_
    return isinstance(item, bool | np.bool_)


def _positions(x: Any, key: Any) -> Any:
    """Return the positions of the selected elements in the flattened array, by NumPy's rules."""
    items = key if type(key) is tuple else (key,)
    host = tuple(item.asnumpy() if isinstance(item, NDArray) else item for item in items)
    return np.arange(x.size).reshape(x.shape)[host]


def _read_positions(x: Any, positions: Any) -> Any:
    from .arguments import with_shape
    from .selection import picked
    from .shapes import ravel

    return with_shape(picked(ravel(x), positions.ravel(), 0), positions.shape)


def _write_positions(x: Any, positions: Any, value: Any) -> None:
    host = value.asnumpy() if isinstance(value, NDArray) else np.asarray(value)
    spread = np.broadcast_to(host, positions.shape).ravel()
    elements = x if x.ndim == 1 else x.reshape_view((-1,))
    _write(elements, positions.ravel(), spread.astype(x.dtype))
