"""Writer of optimizer states in MXNet's format, a pickle that names classes of MXNet.

Python's pickler writes the names of existing classes only, so this one writes the instructions
itself.
"""

import io
import pickle
import struct
from typing import Any

import numpy as np

from ..lr_scheduler import LRScheduler
from ..ndarray import NDArray
from ..ndarray.serialization import Content
from .base import Optimizer

__all__ = ["dump_pickle"]

_PACKAGE = __name__.partition(".")[0]
_ARRAY_CLASSES = {
    "default": ("mxnet.ndarray.ndarray", "NDArray"),
    "row_sparse": ("mxnet.ndarray.sparse", "RowSparseNDArray"),
    "csr": ("mxnet.ndarray.sparse", "CSRNDArray"),
}
_INT32 = range(-(2**31), 2**31)


def dump_pickle(value: Any) -> bytes:
    """Return states as MXNet 1.x saves them.

    Parameters
    ----------
    value : dict, or tuple of dict and Optimizer
        States by index, and the optimizer.

    Raises
    ------
    TypeError
        `value` contains an object of another type than MXNet's states do.

    Examples
    --------
    >>> import pickle
    >>> pickle.loads(dump_pickle({0: None, "w": (1, 2.5)}))
    {0: None, 'w': (1, 2.5)}
    """
    writer = _Writer()
    writer.write(value)
    return pickle.PROTO + b"\3" + writer.content.getvalue() + pickle.STOP


class _Writer:
    def __init__(self) -> None:
        self.content = io.BytesIO()
        self._positions: dict[int, int] = {}
        self._kept: list[Any] = []  # keeps ids unique

    def write(self, value: Any) -> None:
        """Write an object; one that was written before becomes a reference."""
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, NDArray | dict | list | Optimizer | LRScheduler):
            if id(value) in self._positions:
                self._put(pickle.LONG_BINGET, struct.pack("<I", self._positions[id(value)]))
                return
            self._positions[id(value)] = len(self._kept)
            self._kept.append(value)
        self._write_new(value)

    def _put(self, *parts: bytes) -> None:
        for part in parts:
            self.content.write(part)

    def _memoize(self, value: Any) -> None:
        self._put(pickle.LONG_BINPUT, struct.pack("<I", self._positions[id(value)]))

    def _write_new(self, value: Any) -> None:
        if value is None:
            self._put(pickle.NONE)
        elif isinstance(value, bool):
            self._put(pickle.NEWTRUE if value else pickle.NEWFALSE)
        elif isinstance(value, int):
            self._write_int(value)
        elif isinstance(value, float):
            self._put(pickle.BINFLOAT, struct.pack(">d", value))
        elif isinstance(value, str):
            text = value.encode()
            self._put(pickle.BINUNICODE, struct.pack("<I", len(text)), text)
        elif isinstance(value, tuple):
            self._put(pickle.MARK)
            self._write_all(value)
            self._put(pickle.TUPLE)
        elif isinstance(value, list):
            self._put(pickle.EMPTY_LIST)
            self._memoize(value)
            self._put(pickle.MARK)
            self._write_all(value)
            self._put(pickle.APPENDS)
        elif isinstance(value, dict):
            self._put(pickle.EMPTY_DICT)
            self._memoize(value)
            self._put(pickle.MARK)
            self._write_all(part for pair in value.items() for part in pair)
            self._put(pickle.SETITEMS)
        elif isinstance(value, NDArray):
            self._write_array(value)
        elif isinstance(value, Optimizer | LRScheduler):
            self._write_object(value)
        else:
            raise TypeError(
                f"get_states: MXNet's format cannot hold a {type(value).__name__}; save with "
                "pickled=False"
            )

    def _write_all(self, values: Any) -> None:
        for value in values:
            self.write(value)

    def _write_int(self, value: int) -> None:
        if value in _INT32:
            self._put(pickle.BININT, struct.pack("<i", value))
            return
        digits = pickle.encode_long(value)
        self._put(pickle.LONG4, struct.pack("<i", len(digits)), digits)

    def _write_name(self, module: str, name: str) -> None:
        self._put(pickle.GLOBAL, f"{module}\n{name}\n".encode())

    def _write_array(self, value: Any) -> None:
        stream = io.BytesIO()
        Content(value).write(stream)
        content = stream.getvalue()
        self._write_name(*_ARRAY_CLASSES[value.stype])
        self._put(pickle.NONE, pickle.TUPLE1, pickle.REDUCE)
        self._memoize(value)
        self._put(pickle.EMPTY_DICT)
        self.write("handle")
        self._write_name("builtins", "bytearray")
        self._write_bytes(content)
        self._put(pickle.TUPLE1, pickle.REDUCE, pickle.SETITEM, pickle.BUILD)

    def _write_bytes(self, content: bytes) -> None:
        if len(content) < 2**32:
            self._put(pickle.BINBYTES, struct.pack("<I", len(content)), content)
        else:
            self._put(pickle.BINBYTES8, struct.pack("<Q", len(content)), content)

    def _write_object(self, value: Any) -> None:
        """Write an optimizer or scheduler; those of the program keep their names."""
        kind, attributes = type(value), value.__getstate__()
        module = kind.__module__
        if isinstance(value, Optimizer):
            own = {"aggregate_num": value.aggregate_num, "allow_np_array": False}
            attributes = {**own, **attributes}
            if module.startswith(f"{_PACKAGE}."):
                module = "mxnet.optimizer.optimizer"
        elif module.startswith(f"{_PACKAGE}."):
            module = "mxnet.lr_scheduler"
        self._write_name(module, kind.__qualname__)
        self._put(pickle.EMPTY_TUPLE, pickle.NEWOBJ)
        self._memoize(value)
        self.write(attributes)
        self._put(pickle.BUILD)
