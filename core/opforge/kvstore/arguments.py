"""Key and value arguments of a key-value store's methods, as pairs of keys and arrays.

MXNet's stores take a key with an array or a list of arrays, one for each device; or several keys
with one such value each.
"""

from collections.abc import Sequence
from typing import Any

from ..ndarray import NDArray

__all__ = ["Key", "grouped", "pairs"]

Key = int | str


def pairs(method: str, key: Any, value: Any) -> list[tuple[Key, list[NDArray]]]:
    """Return each key with its arrays, one for each device.

    Parameters
    ----------
    method : str
        Name of the called method, for errors.
    key : int or str, or list of them
    value : NDArray, list of NDArray, or for several keys a list of these

    Raises
    ------
    TypeError
        A key is neither an int nor a str, both are mixed, or a value is not an NDArray.
    ValueError
        The numbers of keys and values differ.

    Examples
    --------
    >>> from opforge import nd
    >>> [(name, len(arrays)) for name, arrays in pairs("push", ["a", "b"], [nd.ones(1)] * 2)]
    [('a', 1), ('b', 1)]
    """
    if not isinstance(key, list | tuple):
        return [(_checked_key(method, key), _arrays(method, key, value))]
    if not isinstance(value, list | tuple) or len(value) != len(key):
        got = f"{len(value)} values" if isinstance(value, list | tuple) else type(value).__name__
        raise ValueError(
            f"KVStore.{method}: got {got} for {len(key)} keys; pass a list with an NDArray or a "
            "list of NDArrays for each key"
        )
    found = [
        (_checked_key(method, one), _arrays(method, one, values))
        for one, values in zip(key, value, strict=True)
    ]
    if len({type(one) for one, _ in found}) > 1:
        raise TypeError(f"KVStore.{method}: keys must be all int or all str; got {list(key)!r}")
    return found


def grouped(found: Sequence[tuple[Key, Sequence[NDArray]]]) -> dict[Key, list[NDArray]]:
    """Return the arrays of each key; those of a repeated key are combined.

    Examples
    --------
    >>> from opforge import nd
    >>> len(grouped(pairs("push", [3, 3], [nd.ones(1)] * 2))[3])
    2
    """
    table: dict[Key, list[NDArray]] = {}
    for key, arrays in found:
        table.setdefault(key, []).extend(arrays)
    return table


def _checked_key(method: str, key: Any) -> Key:
    if not isinstance(key, Key):
        raise TypeError(f"KVStore.{method}: got the key {key!r}; expected an int or a str")
    return key


def _arrays(method: str, key: Any, value: Any) -> list[NDArray]:
    arrays = list(value) if isinstance(value, list | tuple) else [value]
    for array in arrays:
        if not isinstance(array, NDArray):
            raise TypeError(
                f"KVStore.{method}: got {type(array).__name__} for the key {key!r}; expected an "
                "NDArray or a list of them"
            )
    if not arrays:
        raise ValueError(f"KVStore.{method}: got an empty list of arrays for the key {key!r}")
    return arrays
