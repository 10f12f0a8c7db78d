"""State files: JSON extended with tuples, bytes and arrays. Reading one never runs code."""

import base64
import json
from typing import Any

import numpy as np

from ..base.errors import OpforgeError

__all__ = ["dump_state", "parse_state", "read_state", "write_state"]

_FORMAT = "opforge state 1"


def write_state(path: str, state: Any) -> None:
    """Write a state: numbers, strings, bytes, arrays, and lists, tuples and dicts of these.

    Raises
    ------
    TypeError
        The state contains an object of another type.

    Examples
    --------
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "loader.state")
    >>> write_state(path, {"order": np.arange(3), 7: (None, b"key")})
    >>> read_state(path)
    {'order': array([0, 1, 2]), 7: (None, b'key')}
    """
    content = dump_state(state)
    with open(path, "wb") as file:
        file.write(content)


def read_state(path: str) -> Any:
    """Read a state written by `write_state`.

    Raises
    ------
    OpforgeError
        The file is damaged, or was not written by `write_state`.
    """
    with open(path, "rb") as file:
        return parse_state(file.read(), path)


def dump_state(state: Any) -> bytes:
    """Return a state serialized as the content of a file; see `write_state`."""
    return json.dumps({"format": _FORMAT, "state": _encode(state, "state")}).encode()


def parse_state(content: bytes, where: str) -> Any:
    """Parse the result of `dump_state`; errors name its origin as `where`.

    Raises
    ------
    OpforgeError
        The content is damaged, or was not produced by `dump_state`.
    """
    try:
        found = json.loads(content)
        if found["format"] != _FORMAT:
            raise ValueError(f"its format is {found['format']!r:.40}, expected {_FORMAT!r}")
        return _decode(found["state"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise OpforgeError(
            f"{where} is not a state file that this version can read ({type(error).__name__}: "
            f"{error!s:.80}); save the checkpoint again"
        ) from error


def _encode(value: Any, where: str) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list):
        return [_encode(item, f"{where}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, tuple):
        return {"tuple": [_encode(item, f"{where}[{i}]") for i, item in enumerate(value)]}
    if isinstance(value, dict):
        pairs = [
            [_encode(key, where), _encode(item, f"{where}[{key!r}]")] for key, item in value.items()
        ]
        return {"dict": pairs}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode("ascii")}
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode("ascii")
        return {"array": [value.dtype.str, list(value.shape), data]}
    raise TypeError(
        f"{where} is a {type(value).__name__}, which a state file cannot store; return numbers, "
        "strings, bytes, NumPy arrays, and lists, tuples and dicts of these from state_dict()"
    )


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return [_decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "tuple":
        return tuple(_decode(item) for item in content)
    if kind == "dict":
        return {_decode(key): _decode(item) for key, item in content}
    if kind == "bytes":
        return base64.b64decode(content, validate=True)
    if kind == "array":
        return _array(*content)
    raise ValueError(f"unknown kind {kind!r:.40}")


def _array(dtype: str, shape: list[int], data: str) -> Any:
    kind = np.dtype(dtype)
    if kind.hasobject:
        raise ValueError("an array of objects")
    return np.frombuffer(base64.b64decode(data, validate=True), kind).reshape(shape).copy()
