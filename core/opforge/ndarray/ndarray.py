"""NDArray: the array type of users.

Memory, arithmetic and exchange with other libraries are implemented by native base classes; this
module adds indexing, shapes, copies and gradients. Everything that computes is an operator of the
`nd` namespace.
"""

from collections.abc import Iterator
from typing import Any, Self

from .. import autograd
from ..base.context import Context
from ..base.dtypes import code_of, is_floating
from ..base.errors import ShapeError
from ..base.familiar_names import ARRAY_NAMES
from ..base.integers import as_integers
from ..base.module_aliases import add_aliases as _add_aliases
from ..base.name_hints import add_hints
from ..base.storage_types import STORAGE_TYPES
from ..native.array import (
    Array,
    StoredArray,
    as_class,
    copy_into,
    set_array_class,
    take_over,
)
from ..native.array import (
    empty as _empty,
)
from ..native.array import (
    from_numpy as _from_numpy,
)
from ..native.array.membership import is_instance
from ..native.dispatch import tape
from ..native.dispatch.operators import ArrayOperators
from ..op.calling.fluent import add_fluent_methods, axis_order
from ..op.calling.statistics import Statistics
from ..std._shapes import reshaped
from ._floor_division import FloorDivision
from ._getitem import read, recorded_view
from ._gradient_copies import gradient_state, restore_gradient
from ._interop import InteropMixin
from ._numpy_protocols import NumpyProtocols
from ._operators import operators
from ._repr import ReprMixin
from ._setitem import write
from ._storage_methods import StorageMethods
from .array_bytes import single_array

__all__ = ["NDArray"]

#: MXNet's codes of storage types, under the name that programs import.
_STORAGE_TYPE_STR_TO_ID = {"undefined": -1, **{n: at for at, n in enumerate(STORAGE_TYPES)}}


class _ArrayClass(type):
    """Metaclass that counts sparse arrays as NDArrays and resolves ``NDArray(handle)``."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Return the array of a handle that a monitor's callback created; see `array_of`."""
        from .ctypes_handles import array_of

        found = array_of(args[0] if args else kwargs.get("handle"))
        # MXNet's pickles call the class with None.
        return super().__call__(*args) if found is None else found

    __instancecheck__ = is_instance

    def __subclasscheck__(cls, subclass: type) -> bool:
        return super().__subclasscheck__(subclass) or (
            cls is NDArray and issubclass(subclass, StoredArray)
        )


@add_hints(ARRAY_NAMES, read_only=True)
@add_fluent_methods(operators)
class NDArray(
    ArrayOperators,
    FloorDivision,
    InteropMixin,
    NumpyProtocols,
    ReprMixin,
    Statistics,
    StorageMethods,
    metaclass=_ArrayClass,
):
    """A dense array of numbers of one type on one device.

    Created by `nd.array`, `nd.zeros`, ... and by operators; see `opforge.nd`.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[1, 2], [3, 4]])
    >>> x[1] * 2
    <BLANKLINE>
    [6. 8.]
    <NDArray 2 @cpu(0)>
    """

    __slots__ = ("__weakref__",)

    _operators = staticmethod(operators)

    # Indexing and iteration

    __getitem__ = read
    __setitem__ = write

    def __iter__(self) -> Iterator[Self]:
        """Iterate over the first axis; an array without axes yields nothing."""
        for index in range(self.shape[0] if self.shape else 0):
            yield read(self, index)

    def __contains__(self, item: Any) -> bool:
        """Return whether an element equals `item`."""
        return bool((self.asnumpy() == item).any())

    # Properties

    @property
    def stype(self) -> str:
        """Storage type: ``"default"`` (dense)."""
        return "default"

    @property
    def T(self) -> Self:
        """The array with its axes reversed, in new memory."""
        return self.transpose()

    # Shapes

    def reshape(self, *shape: Any, reverse: bool = False, **kwargs: Any) -> Self:
        """Return the same elements, in the same memory, with another shape.

        Parameters
        ----------
        *shape : int or tuple of int
            Sizes, or the codes 0 (keep), -1 (infer), -2 (keep the rest), -3 (merge two) and
            -4 (split into the next two).
        reverse : bool, default False
            Match the codes from the right.

        Raises
        ------
        ShapeError
            The number of elements would change.

        Examples
        --------
        >>> from opforge import nd
        >>> nd.zeros((2, 3, 4)).reshape((0, -1)).shape
        (2, 12)
        """
        if "shape" in kwargs:
            shape = (kwargs.pop("shape"),)
        if kwargs:
            raise TypeError(f"reshape got unknown arguments {sorted(kwargs)}; it takes reverse")
        codes = shape[0] if len(shape) == 1 and hasattr(shape[0], "__len__") else shape
        old = self.shape
        target = reshaped("reshape", old, as_integers(codes, "shape of reshape"), bool(reverse))
        return recorded_view(
            self, 0, target, lambda grad: grad.reshape(old), lambda symbol: symbol.reshape(target)
        )

    def transpose(self, *order: Any, axes: Any = None, **kwargs: Any) -> Self:
        """Return the array with its axes permuted; without arguments reversed.

        Parameters
        ----------
        *order : int, or one sequence of int
        axes : sequence of int, optional
            The same as a keyword.
        **kwargs
            Passed to the operator `transpose`.
        """
        return operators().transpose(self, axis_order(order, axes), **kwargs)

    def expand_dims(self, axis: int, inplace: bool = False) -> Self:
        """Return the array with an axis of length 1 inserted; a view if `inplace`."""
        nd = operators()
        return self._reshaped_by(nd.expand_dims, inplace, axis)

    def flatten(self, inplace: bool = False) -> Self:
        """Return the array with all axes but the first merged; a view if `inplace`."""
        nd = operators()
        return self._reshaped_by(nd.flatten, inplace)

    def squeeze(self, axis: Any = None, inplace: bool = False) -> Self:
        """Return the array without axes of length 1; a view if `inplace`."""
        nd = operators()
        return self._reshaped_by(nd.squeeze, inplace, axis)

    def _reshaped_by(self, function: Any, inplace: bool, *args: Any) -> Self:
        result = function(self, *args)
        return self.reshape(result.shape) if inplace else result

    def broadcast_to(self, shape: Any) -> Self:
        """Return the array with axes of length 1 repeated to `shape`."""
        nd = operators()
        return nd.broadcast_to(self, shape)

    def broadcast_like(self, rhs: Any, **kwargs: Any) -> Self:
        """Return the array with axes of length 1 repeated to the shape of `rhs`.

        ``lhs_axes`` and ``rhs_axes`` select axes.
        """
        nd = operators()
        return nd.broadcast_like(self, rhs, **kwargs)

    # Copies and conversions

    def astype(self, dtype: Any, copy: bool = True) -> Self:
        """Return the array with another element type.

        Parameters
        ----------
        dtype : str, numpy.dtype, NumPy scalar class or NDArray
            An array stands for its element type.
        copy : bool, default True
            False: return the array itself if it has the type already.
        """
        nd = operators()
        if isinstance(dtype, Array):
            dtype = dtype.dtype
        if not copy and code_of(dtype) == self.dtype_code:
            return self
        return nd.cast(self, dtype)

    def _fractional(self) -> Self:
        return self if is_floating(self.dtype_code) else self.astype("float64")

    def copy(self) -> Self:
        """Return a copy in new memory; gradients flow through it."""
        nd = operators()
        return nd.identity(self)

    def copyto(self, other: Any) -> Any:
        """Copy the elements into another array, or into a new one on a device.

        Parameters
        ----------
        other : NDArray or Context

        Returns
        -------
        NDArray
            `other`, or the new array.
        """
        if isinstance(other, Array):
            if other is not self:
                if other.shape != self.shape:
                    raise ShapeError(
                        f"copyto: this array has shape {self.shape}, the other {other.shape}"
                    )
                write(other, slice(None), self)
            return other
        if isinstance(other, StoredArray):
            other[:] = self
            return other
        if not isinstance(other, Context):
            raise TypeError(f"copyto does not support type {type(other)}")
        result = as_class(_empty(self.shape, self.dtype_code, other), type(self))
        copy_into(result, self)
        if tape.recording() and tape.in_graph(self):
            home = self.context
            tape.record_callback(
                (self,),
                [result],
                lambda grads: [grads[0].as_in_context(home)],
                lambda symbol: symbol,
            )
        return result

    def tostype(self, stype: str) -> Any:
        """Return the array with another storage type, the array itself for ``"default"``.

        Parameters
        ----------
        stype : {"default", "csr", "row_sparse"}

        Raises
        ------
        ValueError
            The storage type is unknown, or the array is not a matrix, as ``"csr"`` requires.

        Examples
        --------
        >>> from opforge import nd
        >>> nd.array([[0, 1], [0, 0]]).tostype("row_sparse").indices.asnumpy().tolist()
        [0]
        """
        return self if stype == "default" else operators().cast_storage(self, stype)

    def slice_assign(self, rhs: Any, begin: Any, end: Any, step: Any) -> Self:
        """Return the array after writing `rhs` between `begin` and `end`."""
        self[tuple(slice(*bounds) for bounds in zip(begin, end, step, strict=True))] = rhs
        return self

    def slice_assign_scalar(self, value: Any, begin: Any, end: Any, step: Any) -> Self:
        """Return the array after writing a number between `begin` and `end`."""
        return self.slice_assign(value, begin, end, step)

    def __reduce__(self) -> Any:
        return _rebuild, (self.asnumpy(), self.context, gradient_state(self))

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Set the content that MXNet pickled: the bytes of one array, as in its files."""
        content = state.get("handle") if isinstance(state, dict) else state
        if not isinstance(content, bytes | bytearray):
            raise TypeError(
                f"the state of a pickled array must be {{'handle': bytes}}, got {state!r:.60}"
            )
        source = single_array(content)
        if self.size:
            write(self, slice(None), source)
        else:
            take_over(self, source)

    def __copy__(self) -> Self:
        return _duplicate(self)

    # Gradients

    @property
    def grad(self) -> Any:
        """Gradient of this array; None before `attach_grad`."""
        return tape.grad_of(self)

    @property
    def _fresh_grad(self) -> bool:
        """True if a backward pass wrote the gradient since this was last set to False."""
        return bool(tape.is_fresh(self))

    @_fresh_grad.setter
    def _fresh_grad(self, value: bool) -> None:
        tape.set_fresh(self, value)

    def attach_grad(self, grad_req: str = "write", stype: Any = None) -> None:
        """Request gradients of this array; its history, if any, is discarded.

        Parameters
        ----------
        grad_req : {"write", "add", "null"}
            Whether a backward pass overwrites, accumulates or ignores the gradient.
        stype : {"default", "row_sparse", "csr"}, optional
            Storage type of the gradient.
        """
        zeros = operators().zeros(self.shape, self.context, self.dtype, stype)
        tape.mark(self, zeros, grad_req)

    def detach(self) -> Self:
        """Return an array with the same memory that is detached from the graph."""
        return tape.detach(self)

    def backward(
        self, out_grad: Any = None, retain_graph: bool = False, train_mode: bool = True
    ) -> None:
        """Compute the gradients of this array; see `autograd.backward`.

        Parameters
        ----------
        out_grad : NDArray, optional
            Gradient of this array; ones by default.
        retain_graph : bool, default False
            Keep the graph for another pass.
        train_mode : bool, default True
        """
        head = None if out_grad is None else [out_grad]
        autograd.backward([self], head, retain_graph, train_mode)


def _duplicate(source: Array) -> Any:
    """Return a copy that is not recorded."""
    result = _empty(source.shape, source.dtype_code, source.context)
    copy_into(result, source)
    return as_class(result, type(source))


def _rebuild(values: Any, context: Context, gradient: tuple[Any, ...] | None = None) -> Any:
    """Return the unpickled array."""
    result = _from_numpy(values, code_of(values.dtype), context)
    restore_gradient(result, gradient)
    return result


set_array_class(NDArray)

_add_aliases(__name__)
