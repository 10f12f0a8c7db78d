"""Functions that names in pickled states stand for: arrays, element types, contexts, containers.

They accept the arguments that NumPy, MXNet and opforge write, and check sizes against the bytes in
the file. Arrays are created on the CPU; an updater moves states to the context of the weight.
"""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ..base.context import Context
from ..base.dtypes import NUMPY_NAMES, code_of, dtype_of
from ..native.array import from_numpy
from ..ndarray.array_bytes import single_array
from ..ndarray.sparse.creation import sparse_class
from .pickled_data import Allowance, Function, StatesError, Unfinished

__all__ = ["CountedStates", "PickledTypes", "saved_context"]

_MAX_NDIM = 32
_MAX_DEVICE = 1 << 16
#: Spellings of element types in pickles of NumPy -> names.
_ELEMENT_TYPES = {np.dtype(name).str[1:]: name for name in NUMPY_NAMES}
_SPARSE = {"RowSparseNDArray": "row_sparse", "CSRNDArray": "csr"}
_MXNET_ARRAYS = {"NDArray", "ndarray", *_SPARSE}
_MXNET_MODULES = ("mxnet.ndarray", "mxnet.numpy")


class CountedStates(dict[Any, Any]):
    """States by index, with the number of updates of each.

    Attributes
    ----------
    counts : dict of int to dict
        For each device, the number of updates of each index.
    """

    def __init__(self, states: dict[Any, Any], counts: Any) -> None:
        super().__init__(states)
        self.counts = counts


class PickledTypes:
    """Functions for the names in one file.

    Parameters
    ----------
    nbytes : int
        Size of the file, which limits the size of its arrays.
    """

    def __init__(self, nbytes: int) -> None:
        self._allowance = Allowance(nbytes)
        self._functions: dict[tuple[str, str], Callable[..., Any]] = {
            ("opforge.base.context", "Context"): saved_context,
            ("opforge.ndarray.ndarray", "_rebuild"): _Dense,
            ("opforge.ndarray.sparse.base", "_rebuild"): _Sparse,
            ("opforge.optimizer.saved_states", "CountedStates"): _Counted,
            ("collections", "OrderedDict"): lambda: {},
            ("_codecs", "encode"): _bytes,
            ("numpy", "dtype"): _Type,
            ("ml_dtypes", "bfloat16"): _not_called,
            ("numpy", "ndarray"): _not_called,
        }
        for module in ("builtins", "__builtin__"):
            self._functions |= {
                (module, "bytearray"): _bytes,
                (module, "bytes"): _bytes,
                (module, "object"): _not_called,
            }
        for module in ("copyreg", "copy_reg"):
            self._functions[module, "_reconstructor"] = _reconstruct
        for module in ("numpy.core", "numpy._core"):
            self._functions |= {
                (f"{module}.multiarray", "_reconstruct"): self._empty_array,
                (f"{module}.multiarray", "scalar"): self._scalar,
                (f"{module}.numeric", "_frombuffer"): self._array,
            }

    def find(self, module: str, name: str) -> Function | None:
        """Return the function for a name; None for all names other than those of data."""
        if name in _MXNET_ARRAYS and (
            module in _MXNET_MODULES or module.startswith(tuple(f"{m}." for m in _MXNET_MODULES))
        ):
            return Function(lambda handle=None: _MXNetArray(self._allowance))
        if module.startswith("opforge.ndarray.sparse.") and name in _SPARSE:
            return _SparseClass(_SPARSE[name])
        if (module, name) == ("ml_dtypes", "bfloat16"):
            return _BFLOAT16
        call = self._functions.get((module, name))
        return None if call is None else Function(call)

    def _empty_array(self, kind: Any, shape: Any, code: Any) -> Unfinished:
        return _NumPyArray(self)

    def _array(self, content: Any, kind: Any, shape: Any, order: str = "C") -> Any:
        """Return a NumPy array with the given bytes."""
        dtype = _expect(kind, _Type).dtype
        sizes = [_expect(size, int) for size in _expect(shape, tuple)]
        raw = _bytes(content, "latin1")
        if len(sizes) > _MAX_NDIM or any(size < 0 for size in sizes) or order not in ("C", "F"):
            raise ValueError(f"an array has {len(sizes)} dimensions or a negative size")
        if prod(sizes) * dtype.itemsize != len(raw):
            raise ValueError(f"an array has {len(raw)} bytes, which do not fit its shape")
        self._allowance.take(len(raw))
        if dtype == np.bool_:  # any byte but 0 is true; NumPy would keep other bytes
            values = np.frombuffer(raw, np.uint8) != 0
        else:
            values = np.frombuffer(raw, dtype).astype(dtype.newbyteorder("="))
        return values.reshape(sizes, order=order)

    def _scalar(self, kind: Any, content: Any) -> Any:
        return self._array(content, kind, ())[()]


class _SparseClass(Function):
    """Class of sparse arrays as an argument."""

    def __init__(self, stype: str) -> None:
        super().__init__(_not_called)
        self.stype = stype


class _Type(Unfinished):
    """Element type of NumPy."""

    def __init__(self, code: Any, align: Any = False, copy: Any = True) -> None:
        if code is _BFLOAT16:
            self.dtype = np.dtype(dtype_of(code_of("bfloat16")))
            return
        if _expect(code, str) not in _ELEMENT_TYPES:
            raise ValueError(f"an array has elements of type {code!r:.20}")
        self.dtype = np.dtype(_ELEMENT_TYPES[code])

    def build(self, state: Any) -> None:
        """Set the byte order."""
        order = _expect(state, tuple)[1]
        if order not in ("<", ">", "=", "|"):
            raise ValueError("an array has an unknown byte order")
        if order == ">":
            self.dtype = self.dtype.newbyteorder(">")

    def result(self, finished: Callable[[Any], Any]) -> Any:
        """Return the element type."""
        return self.dtype


class _NumPyArray(Unfinished):
    """Array of NumPy, whose shape, type and bytes follow."""

    def __init__(self, types: PickledTypes) -> None:
        self._types = types
        self._values: Any = None

    def build(self, state: Any) -> None:
        """Set shape, type and bytes."""
        _version, shape, kind, is_fortran, content = _expect(state, tuple)
        if self._values is not None:
            raise ValueError("an array is set twice")
        self._values = self._types._array(content, kind, shape, "F" if is_fortran else "C")

    def result(self, finished: Callable[[Any], Any]) -> Any:
        """Return the array."""
        return _expect(self._values, np.ndarray)


class _MXNetArray(Unfinished):
    """Array of MXNet, whose content follows as in its files."""

    def __init__(self, allowance: Allowance) -> None:
        self._allowance = allowance
        self._values: Any = None

    def build(self, state: Any) -> None:
        """Set the content."""
        content = _bytes(_expect(state, dict)["handle"], "latin1")
        if self._values is not None:
            raise ValueError("an array is set twice")
        self._allowance.take(len(content))
        self._values = single_array(content)

    def result(self, finished: Callable[[Any], Any]) -> Any:
        """Return the array."""
        if self._values is None:
            raise ValueError("an array has no content")
        return _check_array(self._values)


class _Dense(Unfinished):
    """Array of opforge; context and gradient are ignored."""

    def __init__(self, values: Any, context: Any, gradient: Any = None) -> None:
        self._values = values

    def result(self, finished: Callable[[Any], Any]) -> Any:
        """Return the array."""
        values = _expect(finished(self._values), np.ndarray)
        return from_numpy(values, code_of(values.dtype), Context("cpu"))


class _Sparse(Unfinished):
    """Sparse array of opforge; its gradient is ignored."""

    def __init__(self, kind: Any, shape: Any, parts: Any, gradient: Any = None) -> None:
        self._stype = _expect(kind, _SparseClass).stype
        self._shape, self._parts = _expect(shape, tuple), _expect(parts, tuple)

    def result(self, finished: Callable[[Any], Any]) -> Any:
        """Return the array."""
        made = sparse_class(self._stype)._of_loaded(self._shape, *finished(self._parts))
        return _check_array(made)


class _Counted(Unfinished):
    """States with counts, whose items and counts follow."""

    def __init__(self) -> None:
        self.entries: dict[Any, Any] = {}
        self._counts: Any = None

    def build(self, state: Any) -> None:
        """Set the counts."""
        self._counts = _expect(state, dict)["counts"]

    def result(self, finished: Callable[[Any], Any]) -> Any:
        """Return states and counts."""
        return CountedStates(finished(self.entries), finished(self._counts))


def _not_called(*arguments: Any) -> Any:
    raise TypeError("a class is called")


_BFLOAT16 = Function(_not_called)


def _reconstruct(function: Any, base: Any, state: Any) -> Any:
    """Return an object without attributes, as in pickles of protocols 0 and 1."""
    if not isinstance(function, Function) or state is not None:
        raise TypeError("an object of an unknown class is restored")
    return function.call()


def saved_context(device_type: Any, device_id: Any) -> Context:
    """Return a context of saved states.

    Raises
    ------
    StatesError
        The device is unknown.
    """
    known = _expect(device_type, str) in Context.devstr2type
    if not known or not 0 <= _expect(device_id, int) < _MAX_DEVICE:
        raise StatesError(f"the saved states contain an unknown context: {device_type!r:.20}")
    return Context(device_type, device_id)


def _bytes(content: Any = b"", encoding: str = "") -> bytes:
    """Return bytes, which old pickles contain as text."""
    if isinstance(content, str) and encoding in ("latin1", "latin-1"):
        return content.encode("latin1")
    if not isinstance(content, bytes | bytearray):
        raise TypeError(f"a {type(content).__name__} is used as bytes")
    return bytes(content)


def _check_array(array: Any) -> Any:
    """Return an array after checking the indices of a sparse one."""
    if array.stype != "default":
        array.check_format(full_check=True)
    return array


def _expect(value: Any, kind: Any) -> Any:
    """Return a value of the expected type."""
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError(f"got a {type(value).__name__}, expected a {kind.__name__}")
    return value
