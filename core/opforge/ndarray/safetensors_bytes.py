"""Reader and header of the safetensors format, in which many public models are distributed.

A file is, little-endian: u64 length of a header, the header, which is a JSON object with an entry
``"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}`` for each array, and the
elements. Reading keeps the invariants of `array_bytes`.
"""

import json
import struct
from collections.abc import Mapping, Sequence
from typing import IO, Any

from ..base.dtypes import ITEMSIZES, TYPES
from .array_bytes import Reader

__all__ = ["SUFFIX", "SafetensorsReader", "is_safetensors", "safetensors_head"]

SUFFIX = ".safetensors"
_CODES = {row.safetensors: code for code, row in enumerate(TYPES)}
_METADATA = "__metadata__"
_LONGEST_HEADER = 100_000_000
_MAX_NDIM = 32


def is_safetensors(file: IO[bytes]) -> bool:
    """Return whether a file has this format; MXNet's has a 0 after its first word.

    Examples
    --------
    >>> from io import BytesIO
    >>> is_safetensors(BytesIO(bytes(8) + b"{}")), is_safetensors(BytesIO(bytes(24)))
    (True, False)
    """
    start = file.read(9)
    file.seek(0)
    return start[8:] == b"{"


def safetensors_head(
    names: Sequence[str], arrays: Sequence[Any], metadata: Mapping[str, str] | None = None
) -> tuple[bytes, list[Any]]:
    """Return the bytes before the elements, and the arrays in the order of the file.

    Parameters
    ----------
    names : sequence of str
    arrays : sequence of NDArray
        Arrays of wide elements come first in the file, so that all are aligned.
    metadata : dict of str to str, optional

    Raises
    ------
    ValueError
        Names are missing, or an array is sparse.
    """
    if len(names) != len(arrays):
        raise ValueError(
            f"nd.save: a {SUFFIX} file holds arrays by name: pass a dict of str to NDArray"
        )
    for name, array in zip(names, arrays, strict=True):
        if name == _METADATA:
            raise ValueError(
                f"nd.save: the name {name!r} is reserved in a {SUFFIX} file: use another name or "
                "another format"
            )
        if array.stype != "default":
            raise ValueError(
                f"nd.save: {name!r} is a {array.stype} array, which a {SUFFIX} file cannot hold: "
                "use tostype('default') or another format"
            )
    entries: dict[str, Any] = {_METADATA: metadata} if metadata else {}
    entries.update(dict.fromkeys(names))
    order = sorted(range(len(arrays)), key=lambda at: -ITEMSIZES[arrays[at].dtype_code])
    end = 0
    for at in order:
        begin, end = end, end + arrays[at].nbytes
        entries[names[at]] = {
            "dtype": TYPES[arrays[at].dtype_code].safetensors,
            "shape": list(arrays[at].shape),
            "data_offsets": [begin, end],
        }
    header = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header, [arrays[at] for at in order]


class SafetensorsReader(Reader):
    """Reader of arrays by name.

    Attributes
    ----------
    metadata : list of (str, object)
        Pairs of names and values, which are not checked; set by `arrays`.
    """

    metadata: Any = ()

    def arrays(self) -> Any:
        """Read the entire file."""
        (length,) = self._unpack("Q")
        if length > _LONGEST_HEADER:
            self._fail(f"got a header of {length} bytes, expected at most {_LONGEST_HEADER}")
        entries = self._entries(self._read_bytes(length))
        start = self._position
        values = {}
        for name, (begin, end, dtype, shape) in sorted(entries.items(), key=lambda item: item[1]):
            self._location = f"array {name!r}"
            if start + begin != self._position:
                self._fail(f"its elements should begin at byte {start + begin}")
            values[name] = self._dense(shape, _CODES[dtype])
            if start + end != self._position:
                self._fail(f"the elements of shape {shape} should end at byte {start + end}")
        if self._position != self._length:
            self._fail(f"got {self._length - self._position} bytes after its end, expected none")
        return {name: values[name] for name in entries}

    def _entries(self, header: bytes) -> dict[str, tuple[int, int, str, tuple[int, ...]]]:
        """Return first and last byte, type and shape of each array, by name."""
        try:
            pairs = json.loads(header.decode(), object_pairs_hook=lambda pairs: pairs)
        except (ValueError, RecursionError) as error:
            self._fail(f"its header is not valid JSON: {error}")
        found: dict[str, tuple[int, int, str, tuple[int, ...]]] = {}
        for name, value in pairs:
            if name in found:
                self._fail(f"got the name {name!r} twice")
            if name == _METADATA:
                self.metadata = value
            else:
                self._location = f"header of array {name!r}"
                found[name] = self._entry(value)
        return found

    def _entry(self, value: Any) -> tuple[int, int, str, tuple[int, ...]]:
        try:
            entry = dict(value)
            dtype, shape, (begin, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
            numbers = [*shape, begin, end]
        except (KeyError, TypeError, ValueError):
            self._fail(f"got {value!r:.80}, expected dtype, shape and data_offsets")
        if not all(type(number) is int and number >= 0 for number in numbers):
            self._fail(f"got shape {shape} and offsets {begin} to {end}, expected counts")
        if len(shape) > _MAX_NDIM:
            self._fail(f"got {len(shape)} dimensions, expected at most {_MAX_NDIM}")
        if dtype not in (*_CODES,):
            self._fail(f"got dtype {dtype!r:.20}, expected one of {[*_CODES]}")
        # Scalars get shape (1,), as in every file that opforge reads.
        return begin, end, dtype, tuple(shape) or (1,)
