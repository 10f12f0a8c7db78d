"""`ndarray`: the array class of `mx.np`, which shows an NDArray's memory with NumPy's methods."""

import importlib
from functools import cache
from typing import Any, Self

import numpy as np

from opforge.plugin_api import array_classes, context

from . import indexing
from .promotion import numpy_type
from .protocols import ArrayProtocols

__all__ = ["adopt", "ndarray", "to_nd"]

NDArray = array_classes.NDArray


@cache
def _f() -> Any:
    """Return the functions of `mx.np`, which import this module."""
    return importlib.import_module(f"{__package__}.np")


@cache
def _operate() -> Any:
    """Return the function of operators that follow NumPy's rules."""
    return importlib.import_module(f"{__package__}.elementwise").operate


class ndarray(ArrayProtocols, array_classes.NDArray):
    """A dense array of numbers with NumPy's semantics; created by the functions of `mx.np`.

    Shapes, indexing, broadcasting, comparison and promotion are NumPy's; the default type is
    float32. It shares memory and gradient history with the NDArray of `as_nd_ndarray`.

    Examples
    --------
    >>> from opforge import np, npx
    >>> with npx.np_shape():
    ...     x = np.array([[1, 2], [3, 4]])
    ...     x[x > 1]
    array([2., 3., 4.])
    """

    __slots__ = ()

    # -- representation -------------------------------------------------------------------------

    def __repr__(self) -> str:
        values = self.asnumpy()
        text = np.array2string(values, separator=", ", prefix="array(")
        given = "" if values.dtype in (np.float32, np.bool_) else f", dtype={values.dtype.name}"
        device = "" if self.context.device_type == "cpu" else f", ctx={self.context}"
        return f"array({text}{given}{device})"

    def __str__(self) -> str:
        device = "" if self.context.device_type == "cpu" else f" @{self.context}"
        return f"{self.asnumpy()}{device}"

    def __format__(self, spec: str) -> str:
        if spec and self.ndim:
            raise TypeError(
                f"the format {spec!r} is for one number, and this array has shape {self.shape}"
            )
        return super().__format__(spec)

    def __reduce__(self) -> Any:
        function, state = super().__reduce__()
        return _rebuilt, (function, state)

    # -- properties -----------------------------------------------------------------------------

    @property
    def dtype(self) -> Any:
        """Element type as a `numpy.dtype`."""
        return np.dtype(super().dtype)

    @property
    def itemsize(self) -> int:
        """Size of an element in bytes."""
        return int(self.dtype.itemsize)

    @property
    def T(self) -> Self:
        """The array with its axes reversed."""
        return self.transpose()

    @property
    def device(self) -> Any:
        """Device that holds the array; an alias of `context`."""
        return self.context

    @property
    def grad(self) -> Any:
        """Gradient of this array; None before `attach_grad`."""
        return adopt(super().grad)

    # -- conversions ----------------------------------------------------------------------------

    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any:
        """Return `opforge.array_api`, the functions of the array API standard.

        Parameters
        ----------
        api_version : str, optional
            A version of the standard, of which the namespace has all functions.

        Raises
        ------
        ValueError
            The version is not one that the namespace supports.
        """
        namespace = importlib.import_module(f"{__package__}.array_api")
        if api_version is not None and api_version not in namespace.SUPPORTED_VERSIONS:
            raise ValueError(
                f"version {api_version!r} of the array API standard is not supported; expected "
                f"one of {', '.join(namespace.SUPPORTED_VERSIONS)}"
            )
        return namespace

    def as_nd_ndarray(self) -> Any:
        """Return an NDArray that shares the memory and the gradient history."""
        return to_nd(self)

    def as_np_ndarray(self) -> Self:
        """Return the array itself."""
        return self

    def astype(  # type: ignore[override]  # NumPy's order of arguments
        self,
        dtype: Any,
        order: str = "K",
        casting: str = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> Self:
        """Return the array with another element type; order, casting and subok are ignored."""
        return super().astype(numpy_type(dtype), copy)

    def item(self, *args: Any) -> Any:
        """Return an element as a Python number; without arguments the only one."""
        return self.asnumpy().item(*args)

    def asscalar(self) -> Any:
        """Return the only element as a NumPy scalar."""
        return super().asscalar()

    def as_in_ctx(self, ctx: Any) -> Self:
        """Return the array on a device; the array itself if it is there."""
        return self.as_in_context(ctx)

    def to_device(self, device: Any, *, stream: Any = None) -> Self:
        """Return the array on a device; the array itself if it is there.

        Parameters
        ----------
        device : Context or str
            A device or its name, such as "cpu".
        stream : optional
            Only None is supported, because CPU devices have no streams.
        """
        if stream is not None:
            raise ValueError(f"to_device: CPU devices have no streams, got {stream!r}; pass None")
        return self.as_in_context(context.Context(device))

    # -- indexing -------------------------------------------------------------------------------

    __getitem__ = indexing.read_item
    __setitem__ = indexing.write_item

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return int(self.shape[0])

    def __iter__(self) -> Any:
        if not self.shape:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(self.shape[0]))

    # -- operators ------------------------------------------------------------------------------

    def _operated(self, op: Any, other: Any, reverse: bool, out: Any) -> Any:
        """Compute what native arithmetic leaves to NumPy's rules: promotion and comparisons."""
        return _operate()(op, self, other, reverse, out)

    def __floordiv__(self, other: Any) -> Any:
        return _f().floor_divide(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _f().floor_divide(other, self)

    def __ifloordiv__(self, other: Any) -> Self:
        self[:] = _f().floor_divide(self, other)
        return self

    def __matmul__(self, other: Any) -> Any:
        return _f().matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return _f().matmul(other, self)

    def __invert__(self) -> Any:
        return _f().bitwise_not(self)

    def __and__(self, other: Any) -> Any:
        return _f().bitwise_and(self, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        return _f().bitwise_or(self, other)

    __ror__ = __or__

    def __xor__(self, other: Any) -> Any:
        return _f().bitwise_xor(self, other)

    __rxor__ = __xor__

    def __hash__(self) -> int:
        return id(self)

    def clip(self, min: Any = None, max: Any = None, out: Any = None) -> Self:
        """Return the elements limited to [min, max]; None is no limit."""
        return _f().clip(self, min, max, out=out)

    # -- shapes ---------------------------------------------------------------------------------

    def reshape(self, *shape: Any, order: str = "C", **kwargs: Any) -> Self:
        """Return the same elements with another shape; -1 is inferred."""
        if kwargs:
            shape = (kwargs.pop("shape", kwargs.pop("newshape", shape)),)
        wanted = shape[0] if len(shape) == 1 else shape
        return _f().reshape(self, wanted, order=order)

    def reshape_view(self, *shape: Any, **kwargs: Any) -> Self:
        """Return a view with another shape; 0 and codes from -2 to -4 are those of `NDArray`."""
        return super().reshape(*shape, **kwargs)

    def transpose(self, *axes: Any) -> Self:  # type: ignore[override]
        """Return the array with its axes permuted; without arguments reversed."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return _f().transpose(self, order or None)

    def flatten(self, order: str = "C") -> Self:  # type: ignore[override]
        """Return a copy with one axis."""
        _expect_order("flatten", order)
        return self.reshape(-1).copy()

    def copy(self, order: str = "C") -> Self:
        """Return a copy in new memory; gradients flow through it."""
        _expect_order("copy", order)
        return super().copy()


def _expect_order(name: str, order: str) -> None:
    """Reject other orders of elements than that of rows."""
    if order != "C":
        raise NotImplementedError(f"ndarray.{name}: order is {order!r}; only 'C' is supported")


def _method(name: str) -> Any:
    """Return the method that calls the function of this name with the array first."""

    def method(self: ndarray, *args: Any, **kwargs: Any) -> Any:
        function = getattr(_f(), name)
        setattr(ndarray, name, function)  # later calls need no frame of this method
        return function(self, *args, **kwargs)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Call `np.{name}` with this array."
    return method


# fmt: off
for _name in (
    "all", "any", "argmax", "argmin", "argsort", "broadcast_to", "cumsum", "diagonal",
    "dot", "expand_dims", "max", "mean", "min", "nonzero", "prod", "ravel", "repeat", "round",
    "sort", "squeeze", "std", "sum", "swapaxes", "take", "tile", "trace", "var",
):
    setattr(ndarray, _name, _method(_name))
# fmt: on


def _rebuilt(function: Any, state: Any) -> Any:
    return adopt(function(*state))


def adopt(result: Any) -> Any:
    """Give new NDArrays, also in lists and tuples, the class `ndarray`; return them."""
    kind = type(result)
    if kind is NDArray:
        result.__class__ = ndarray
    elif kind is not ndarray and isinstance(result, (list, tuple)):
        for item in result:
            adopt(item)
    return result


def to_nd(array: Any) -> Any:
    """Return an array as an NDArray that shares its memory and its history."""
    return array_classes.as_class(array, NDArray)


array_classes.set_numpy_class(ndarray)
