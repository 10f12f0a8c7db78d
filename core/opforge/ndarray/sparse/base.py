"""`BaseSparseNDArray`: base class of the two sparse array types.

A sparse array consists of dense ones, its parts. It is not an `Array`, so native code never
mistakes it for dense memory; operator calls with it are dispatched to `calls`.
"""

from math import prod
from typing import Any, ClassVar, NoReturn

import numpy as np

from ...base.context import Context
from ...base.dtypes import code_of
from ...base.errors import (
    AttributeValueError,
    DTypeError,
    NotSupportedForSparseNDArray,
    ShapeError,
)
from ...native.array import Array
from ...op.calling.fluent import add_fluent_methods
from .._gradient_copies import gradient_state, restore_gradient
from .._operators import operators
from .._storage_methods import StorageMethods
from .shape_methods import ShapeMethods
from .variable import on_tape

__all__ = ["BaseSparseNDArray"]


@add_fluent_methods(operators)
class BaseSparseNDArray(StorageMethods, ShapeMethods):
    """An array that stores some of its elements; the others are zero.

    Created by `nd.sparse.csr_matrix`, `nd.sparse.row_sparse_array`, ``tostype`` and operators.
    Operators without an implementation for sparse arrays get dense copies.
    """

    __slots__ = ("__weakref__", "_indices", "_shape", "_values")

    #: Storage type.
    stype: ClassVar[str]

    def __init__(self, data: Any, indices: Any, shape: tuple[int, ...]) -> None:
        self._values = data
        self._indices = indices
        self._shape = shape
        self.stand_in = None

    # Properties

    @property
    def shape(self) -> tuple[int, ...]:
        """Size of each axis."""
        return self._shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """Number of elements, including those that are not stored."""
        return prod(self._shape)

    @property
    def dtype(self) -> Any:
        """Element type, a NumPy scalar class."""
        return self._values.dtype

    @property
    def dtype_code(self) -> int:
        """MXNet's code of the element type."""
        return int(self._values.dtype_code)

    @property
    def context(self) -> Context:
        """Device of the array."""
        found: Context = self._values.context
        return found

    ctx = context

    @property
    def data(self) -> Any:
        """Stored values, an NDArray."""
        return self._values

    @property
    def indices(self) -> Any:
        """Indices of the stored values, an NDArray of int64."""
        return self._indices

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.shape))
        return f"\n<{type(self).__name__} {shape} @{self.context}>"

    def __len__(self) -> int:
        return self._shape[0]

    def __bool__(self) -> NoReturn:
        raise NotSupportedForSparseNDArray(f"{type(self).__name__} has no truth value")

    # Parts

    def _parts(self) -> tuple[Any, ...]:
        """Return the dense parts, values first, in the order of MXNet's files."""
        raise NotImplementedError

    @classmethod
    def _of_parts(cls, shape: tuple[int, ...], *parts: Any) -> Any:
        """Return an array with the given parts, which are not copied."""
        raise NotImplementedError

    @classmethod
    def _of_loaded(cls, shape: tuple[int, ...], data: Any, *indices: Any) -> Any:
        """Return an array with parts from a file, which are validated."""
        if any(np.dtype(one.dtype).kind != "i" for one in indices):
            raise DTypeError(f"a {cls.stype} array has indices that are not integers")
        result = cls._of_parts(shape, data, *(one.astype("int64", copy=False) for one in indices))
        result.check_format(full_check=False)
        return result

    def _take_parts(self, other: Any) -> None:
        """Replace the parts by those of `other`, which must not be used afterwards."""
        raise NotImplementedError

    @classmethod
    def _zeros(cls, shape: tuple[int, ...], dtype: Any, ctx: Context | None) -> Any:
        """Return an array without stored elements."""
        raise NotImplementedError

    @classmethod
    def _from_dense(cls, dense: Any) -> Any:
        """Return an array that stores the nonzero elements of a dense one."""
        raise NotImplementedError

    def _dense(self) -> Any:
        """Return a new NDArray with all elements."""
        raise NotImplementedError

    def _with_data(self, data: Any) -> Any:
        """Return an array with other values and a copy of the indices."""
        _, *indices = self._parts()
        return type(self)._of_parts(self.shape, data, *(part.copy() for part in indices))

    @property
    def _num_aux(self) -> int:
        return len(self._parts()) - 1

    def check_format(self, full_check: bool = True) -> None:
        """Raise an error if the parts are inconsistent.

        Parameters
        ----------
        full_check : bool, default True
            Also check that indices ascend.

        Raises
        ------
        OpforgeError
            The parts are inconsistent.
        """
        raise NotImplementedError

    # Copies and conversions

    def asnumpy(self) -> Any:
        """Return all elements as a new NumPy array."""
        return self._dense().asnumpy()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self._dense().__array__(dtype)

    def asscalar(self) -> Any:
        """Return the only element as a NumPy scalar."""
        return self._dense().asscalar()

    def item(self) -> Any:
        """Return the only element as a Python number."""
        return self.asscalar().item()

    def tostype(self, stype: str) -> Any:
        """Return a copy with another storage type.

        Parameters
        ----------
        stype : {"default", "csr", "row_sparse"}

        Raises
        ------
        ValueError
            `stype` is the other sparse type: convert to ``"default"`` first.
        """
        if stype == "default":
            return on_tape(self._dense(), self)
        if stype == self.stype:
            return on_tape(self.copy(), self)
        raise AttributeValueError(
            f"cast_storage from {self.stype} to {stype} is not supported; use tostype('default') "
            "first"
        )

    def copy(self) -> Any:
        """Return a copy in new memory."""
        return self._with_data(self._values.copy())

    def __copy__(self) -> Any:
        return self.copy()

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """Return the array with another element type; see `NDArray.astype`."""
        if isinstance(dtype, Array):
            dtype = dtype.dtype
        if not copy and code_of(dtype) == self.dtype_code:
            return self
        return self._with_data(self._values.astype(dtype))

    def copyto(self, other: Any) -> Any:
        """Copy the elements into an array, dense or of this type, or into a new one on a device.

        See `NDArray.copyto`.

        Raises
        ------
        TypeError
            `other` has another type.
        """
        if isinstance(other, Context):
            parts = (part.copyto(other) for part in self._parts())
            return type(self)._of_parts(self.shape, *parts)
        if isinstance(other, Array):
            return self._dense().copyto(other)
        if not isinstance(other, BaseSparseNDArray) or other.stype != self.stype:
            kind = f"an array of stype {other.stype}" if hasattr(other, "stype") else type(other)
            raise TypeError(
                f"copyto does not support {kind} as the target of {self.stype}, expected default, "
                f"{self.stype} or a Context"
            )
        if other is not self:
            other._write(self)
        return other

    def _write(self, source: Any) -> None:
        """Assign the elements of an array of any storage type, type and device."""
        if source.shape != self.shape:
            raise ShapeError(f"copyto: this array has shape {source.shape}, the other {self.shape}")
        if isinstance(source, BaseSparseNDArray) and source.stype != self.stype:
            source = source.tostype("default")
        if isinstance(source, Array):
            source = type(self)._from_dense(source)
        if source.dtype_code != self.dtype_code:
            source = source.astype(self.dtype)
        self._take_parts(source.copyto(self.context))

    def take_gradient(self, given: list[Any], total: Any, adds: bool) -> None:
        """Assign the sum of sparse arrays and a dense one; see `StoredArray.take_gradient`."""
        same = [one.stype == self.stype for one in given]
        parts = [
            one if ok else self._from_dense(one.tostype("default"))
            for one, ok in zip(given, same, strict=True)
        ]
        if total is not None:
            parts.append(self._from_dense(total))
        if adds:
            parts.append(self)
        self._write(operators().add_n(*parts) if parts else self._none_stored())

    def _none_stored(self) -> Any:
        return self._zeros(self.shape, self.dtype, self.context)

    def _update(self, result: Any) -> Any:
        self._write(result)
        return self

    def wait_to_read(self) -> None:
        """Block until all tasks that write this array are done; raise the error of a failed one."""
        for part in self._parts():
            part.wait_to_read()

    def wait_to_write(self) -> None:
        """Block until all tasks that read or write this array are done."""
        for part in self._parts():
            part.wait_to_write()

    def __reduce__(self) -> Any:
        return _rebuild, (type(self), self.shape, self._parts(), gradient_state(self))

    # Elements

    def __setitem__(self, key: Any, value: Any) -> None:
        """Assign all elements: ``x[:] = y`` for an NDArray, NumPy array or number."""
        if not isinstance(key, slice) or key != slice(None):
            raise ValueError(
                f"{type(self).__name__}: x[:] = y is the only assignment, got the key {key!r:.60}"
            )
        if value is self:
            return
        if isinstance(value, (int, float, np.number)) and value == 0:
            value = self._none_stored()
        elif isinstance(value, (int, float, np.number)):
            value = operators().full(self.shape, value, self.context, self.dtype)
        elif not isinstance(value, (Array, BaseSparseNDArray)):
            if not isinstance(value, (np.ndarray, list, tuple)):
                raise TypeError(f"{type(self).__name__}: type {type(value)} cannot be assigned")
            value = operators().array(value, self.context, self.dtype)
        self._write(value)

    # Gradients

    def detach(self) -> Any:
        """Return an array with the same parts that is detached from the graph."""
        return type(self)._of_parts(self.shape, *self._parts())


def _rebuild(
    cls: Any,
    shape: tuple[int, ...],
    parts: tuple[Any, ...],
    gradient: tuple[Any, ...] | None = None,
) -> Any:
    """Return the unpickled array."""
    result = cls._of_parts(shape, *parts)
    restore_gradient(result, gradient)
    return result
