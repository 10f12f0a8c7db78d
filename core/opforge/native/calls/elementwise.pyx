"""Elementwise calls on arrays, with checks and `req`, without recording gradients.

Operators written in Python call these instead of the drivers in `native.loops.elementwise`. All have the
signature ``fn(inputs..., out, attributes..., req="write")``, write into an existing `out` and return None.
"""

from opforge.native.array.array cimport Array, dims_of, same_shape, wait_read, wait_write
from opforge.native.array.output cimport req_code, elementwise_target_of, settle
from opforge.native.loops.casting cimport run_cast
from opforge.native.loops.elementwise cimport (
    BINARY_CODES, MODE_VV, UNARY_CODES, binary_gives_mask, run_binary, run_binary_scalar,
    run_binary_scalar_i64, run_broadcast, run_unary, unary_gives_mask,
)
from opforge.native.memory.types cimport I64, MAX_NDIM, REQ_ADD, REQ_NULL

from opforge.base import dtypes as _dtypes
from opforge.base.errors import DTypeError, OperatorNotFoundError, ShapeError

__all__ = ["binary", "binary_scalar", "cast", "gives_mask", "unary"]

cdef tuple NAMES = _dtypes.NAMES


cdef int code_in(dict codes, str kind, object name) except -1:
    code = codes.get(name)
    if code is None:
        raise OperatorNotFoundError(
            f"{kind} elementwise kernel {name!r} not found; available: {', '.join(sorted(codes))}"
        )
    return code


cdef int check_dtype(object name, str argument, Array x, int code) except -1:
    if x.code != code:
        raise DTypeError(
            f"elementwise kernel '{name}': '{argument}' has dtype {NAMES[x.code]}, expected {NAMES[code]} "
            "like the other arrays; cast one of them first"
        )
    return 0


cdef int check_shape(object name, Array out, tuple shape) except -1:
    if out.shape != shape:
        raise ShapeError(
            f"elementwise kernel '{name}': 'out' has shape {out.shape}, expected {shape}; allocate it "
            "with the shape of the result"
        )
    return 0


cdef Array target_like(object name, Array x, Array out, int req):
    check_dtype(name, "out", out, x.code)
    check_shape(name, out, x.shape)
    if req == REQ_NULL:
        return None
    wait_read(x)
    wait_write(out)
    return elementwise_target_of(out, req, (x,))


cdef tuple broadcast_shape(object name, Array a, Array b):
    """Return the shape that both arrays broadcast to."""
    cdef int ndim = max(a.ndim, b.ndim)
    cdef tuple left = (1,) * (ndim - a.ndim) + a.shape, right = (1,) * (ndim - b.ndim) + b.shape
    if any(m != n and m != 1 and n != 1 for m, n in zip(left, right)):
        raise ShapeError(
            f"elementwise kernel '{name}': operands could not be broadcast together with shapes "
            f"{a.shape} {b.shape}; dimensions counted from the right must be equal or 1"
        )
    return tuple([n if m == 1 else m for m, n in zip(left, right)])


cdef int aligned_dims(Array a, int ndim, Py_ssize_t* dims) except -1:
    """Fill `dims` with the dimensions of `a`, right-aligned to `ndim` and padded with ones."""
    cdef int axis
    for axis in range(ndim - a.ndim):
        dims[axis] = 1
    dims_of(a, dims + ndim - a.ndim)
    return 0


def gives_mask(str kind not None, str name not None):
    """Return whether the kernel `name` is a comparison or a logical operation.

    Parameters
    ----------
    kind : {"unary", "binary", "scalar"}
    name : str
    """
    if kind == "unary":
        return unary_gives_mask(code_in(UNARY_CODES, kind, name), False)
    return binary_gives_mask(code_in(BINARY_CODES, kind, name))


def unary(str name, Array x not None, Array out not None, req="write"):
    """Compute ``out[i] = f(x[i])`` with the kernel `name`.

    Parameters
    ----------
    name : str
        A kernel listed in ``kernels/opforge_elementwise_ops.h``, for instance ``"exp"``.
    x, out : Array, same shape and dtype
    req : {"write", "inplace", "add", "null"}

    Raises
    ------
    OperatorNotFoundError
        The kernel does not exist.
    ShapeError, DTypeError
        `out` has another shape or dtype than `x`.
    """
    cdef int op = code_in(UNARY_CODES, "unary", name), request = req_code(req)
    cdef Array target = target_like(name, x, out, request)
    if target is None:
        return
    with nogil:
        run_unary(op, x.code, x.data, target.data, x.size)
    settle(out, target, request)
    out.is_mask = request != REQ_ADD and unary_gives_mask(op, x.is_mask)


def binary(str name, Array a not None, Array b not None, Array out not None, req="write"):
    """Compute ``out = f(a, b)`` elementwise; `a` and `b` broadcast.

    Parameters
    ----------
    name : str
        A kernel listed in ``kernels/opforge_elementwise_ops.h``, for instance ``"add"``.
    a, b : Array, one dtype
    out : Array, same dtype, the shape that `a` and `b` broadcast to
        Comparisons write 0 and 1 in the operands' dtype.
    req : {"write", "inplace", "add", "null"}

    Raises
    ------
    OperatorNotFoundError, ShapeError, DTypeError
        The kernel does not exist, the operands do not broadcast, or `out` has the wrong shape, or the dtypes differ.
    """
    cdef int op = code_in(BINARY_CODES, "binary", name), request = req_code(req)
    cdef bint equal = same_shape(a, b)
    cdef Array target
    cdef Py_ssize_t[MAX_NDIM] a_dims, b_dims, out_dims
    check_dtype(name, "b", b, a.code)
    check_dtype(name, "out", out, a.code)
    check_shape(name, out, a.shape if equal else broadcast_shape(name, a, b))
    if request == REQ_NULL:
        return
    wait_read(a)
    wait_read(b)
    wait_write(out)
    target = elementwise_target_of(out, request, (a, b))
    if equal:
        with nogil:
            run_binary(op, a.code, a.data, b.data, target.data, a.size, MODE_VV)
    else:
        aligned_dims(a, out.ndim, a_dims)
        aligned_dims(b, out.ndim, b_dims)
        dims_of(out, out_dims)
        with nogil:
            run_broadcast(op, a.code, a.data, a_dims, b.data, b_dims, target.data, out_dims, out.ndim)
    settle(out, target, request)
    out.is_mask = request != REQ_ADD and binary_gives_mask(op)


def binary_scalar(
    str name, Array x not None, object scalar, Array out not None, bint reverse=False, req="write"
):
    """Compute ``out[i] = f(x[i], scalar)``, or ``f(scalar, x[i])`` if `reverse`.

    Parameters
    ----------
    name : str
        A kernel listed in ``kernels/opforge_elementwise_ops.h``, for instance ``"power"``.
    x, out : Array, same shape and dtype
    scalar : int or float
        Rounded to the dtype of the arrays; toward zero for integer arrays, as in MXNet.
    req : {"write", "inplace", "add", "null"}
    """
    cdef int op = code_in(BINARY_CODES, "binary", name), request = req_code(req)
    cdef bint is_integer = isinstance(scalar, int)
    cdef long long integer_value = scalar if is_integer and x.code == I64 else 0
    cdef double value = scalar
    cdef Array target = target_like(name, x, out, request)
    if target is None:
        return
    with nogil:
        if is_integer and x.code == I64:
            run_binary_scalar_i64(op, x.code, x.data, integer_value, target.data, x.size, reverse)
        else:
            run_binary_scalar(op, x.code, x.data, value, target.data, x.size, reverse)
    settle(out, target, request)
    out.is_mask = request != REQ_ADD and binary_gives_mask(op)


def cast(Array x not None, Array out not None, req="write"):
    """Convert `x` to the dtype of `out`.

    Parameters
    ----------
    x, out : Array, same shape
        Floats are truncated to integers, wide integers wrap to narrow ones, and all values
        except 0 become True.
    req : {"write", "inplace", "add", "null"}
    """
    cdef int request = req_code(req)
    cdef Array target
    check_shape("cast", out, x.shape)
    if request == REQ_NULL:
        return
    wait_read(x)
    wait_write(out)
    target = elementwise_target_of(out, request, (x,))
    with nogil:
        run_cast(x.code, out.code, x.data, target.data, x.size)
    settle(out, target, request)
