"""State files: JSON extended with tuples, bytes and arrays. Reading one never runs code."""

import base64
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ..base.errors import OpforgeError
from ..base.files import replacing

__all__ = ["dump_state", "parse_state", "read_state", "write_state"]

_FORMAT = "opforge state 1"
Encode = Callable[[Any, Callable[[Any], Any]], dict[str, Any] | None]
Decode = Callable[[Any, Callable[[Any], Any]], Any]


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
    with replacing(path) as file:
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


def dump_state(state: Any, encode: Encode | None = None) -> bytes:
    """Return a state serialized as the content of a file; see `write_state`.

    Parameters
    ----------
    state : object
    encode : callable, optional
        Called with each object of another type and a function that serializes parts of it. Returns
        a dict of one key, the name of a kind, or None for an object that it does not know.
    """
    content = {"format": _FORMAT, "state": _Encoder(encode).encoded(state, "state")}
    return json.dumps(content).encode()


def parse_state(content: bytes, where: str, kinds: Mapping[str, Decode] | None = None) -> Any:
    """Parse the result of `dump_state`; errors name its origin as `where`.

    Parameters
    ----------
    content : bytes
    where : str
    kinds : dict of str to callable, optional
        For each kind of `encode`, a function of the content and of one that parses parts of it.

    Raises
    ------
    OpforgeError
        The content is damaged, or was not produced by `dump_state`.
    """
    try:
        found = json.loads(content)
        if found["format"] != _FORMAT:
            raise ValueError(f"its format is {found['format']!r:.40}, expected {_FORMAT!r}")
        return _Decoder({**_KINDS, **(kinds or {})}).decoded(found["state"])
    except OpforgeError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise OpforgeError(
            f"{where} is not a state file that this version can read ({type(error).__name__}: "
            f"{error!s:.80}); save the checkpoint again"
        ) from error


class _Encoder:
    def __init__(self, encode: Encode | None) -> None:
        self._encode = encode

    def encoded(self, value: Any, where: str) -> Any:
        """Return a value as JSON."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if isinstance(value, list):
            return self._items(value, where)
        if isinstance(value, tuple):
            return {"tuple": self._items(value, where)}
        if isinstance(value, dict):
            pairs = [
                [self.encoded(key, where), self.encoded(item, f"{where}[{key!r}]")]
                for key, item in value.items()
            ]
            return {"dict": pairs}
        if isinstance(value, bytes):
            return {"bytes": base64.b64encode(value).decode("ascii")}
        if isinstance(value, np.ndarray) and not value.dtype.hasobject:
            data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode("ascii")
            return {"array": [value.dtype.str, list(value.shape), data]}
        found = self._encode and self._encode(value, lambda part: self.encoded(part, where))
        if found is not None:
            return found
        raise TypeError(
            f"{where} is a {type(value).__name__}, which a state file cannot store; use numbers, "
            "strings, bytes, NumPy arrays, and lists, tuples and dicts of these"
        )

    def _items(self, values: Iterable[Any], where: str) -> list[Any]:
        return [self.encoded(item, f"{where}[{i}]") for i, item in enumerate(values)]


class _Decoder:
    def __init__(self, kinds: Mapping[str, Decode]) -> None:
        self._kinds = kinds

    def decoded(self, value: Any) -> Any:
        """Return the value of JSON."""
        if isinstance(value, list):
            return [self.decoded(item) for item in value]
        if not isinstance(value, dict):
            return value
        ((kind, content),) = value.items()
        if kind not in self._kinds:
            raise ValueError(f"unknown kind {kind!r:.40}")
        return self._kinds[kind](content, self.decoded)


def _array(dtype: str, shape: list[int], data: str) -> Any:
    kind = np.dtype(dtype)
    if kind.hasobject:
        raise ValueError("an array of objects")
    return np.frombuffer(base64.b64decode(data, validate=True), kind).reshape(shape).copy()


#: Kinds of objects that JSON lacks, and their parsers.
_KINDS: dict[str, Decode] = {
    "tuple": lambda content, parse: tuple(map(parse, content)),
    "dict": lambda content, parse: {parse(key): parse(item) for key, item in content},
    "bytes": lambda content, parse: base64.b64decode(content, validate=True),
    "array": lambda content, parse: _array(*content),
}
