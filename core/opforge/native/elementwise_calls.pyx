"""Elementwise calls on arrays: checked, with `req`, without the tape.

The faces of the drivers in elementwise.pyx for operators that are written in Python. All have the
form ``fn(inputs..., out, attributes..., req="write")`` and return None; `out` exists beforehand.
"""

from libc.stdint cimport int16_t, int32_t, int64_t
from libc.string cimport memcpy, memset

from opforge.native.array cimport (
    BOOL, F64, I64, MAX_NDIM, REQ_NULL, Array, dims_of, itemsize_of, new_array,
    req_code, same_shape, wait_read, wait_write,
)
from opforge.native.broadcast cimport expand
from opforge.native.elementwise cimport (
    BINARY_CODES, MODE_VV, BINARY_maximum, BINARY_minimum, UNARY_CODES, kernels, run_binary, run_binary_scalar,
    run_binary_scalar_i64, run_broadcast, run_cast, run_unary,
)
from opforge.native.output cimport elementwise_target_of, settle
from opforge.native.parallel cimport parallel_for

from opforge.base import dtypes as _dtypes
from opforge.base.errors import DTypeError, OperatorNotFoundError, ShapeError

__all__ = ["binary", "binary_scalar", "cast", "clip", "fill", "unary", "where"]

cdef enum:
    CLIP_CHUNK = 2048                  # elements, 16 KiB at most
    GRAIN = 16384

cdef tuple NAMES = _dtypes.NAMES


cdef int code_in(dict codes, str kind, object name) except -1:
    code = codes.get(name)
    if code is None:
        raise OperatorNotFoundError(
            f"no {kind} elementwise kernel is called {name!r}; there are {', '.join(sorted(codes))}"
        )
    return code


cdef int check_dtype(object name, str argument, Array x, int code) except -1:
    if x.code != code:
        raise DTypeError(
            f"elementwise kernel '{name}': '{argument}' is {NAMES[x.code]}, expected {NAMES[code]} "
            "as the other arrays are; cast one of them first"
        )
    return 0


cdef int check_shape(object name, Array out, tuple shape) except -1:
    if out.shape != shape:
        raise ShapeError(
            f"elementwise kernel '{name}': out has shape {out.shape}, expected {shape}; make it "
            "with the shape of the result"
        )
    return 0


cdef tuple broadcast_shape(object name, Array a, Array b):
    """The shape that both arrays broadcast to."""
    cdef int ndim = max(a.ndim, b.ndim)
    cdef tuple left = (1,) * (ndim - a.ndim) + a.shape, right = (1,) * (ndim - b.ndim) + b.shape
    if any(m != n and m != 1 and n != 1 for m, n in zip(left, right)):
        raise ShapeError(
            f"elementwise kernel '{name}': operands could not be broadcast together with shapes "
            f"{a.shape} {b.shape}; dimensions counted from the right must be equal or 1"
        )
    return tuple([n if m == 1 else m for m, n in zip(left, right)])


cdef int aligned_dims(Array a, int ndim, Py_ssize_t* dims) except -1:
    """Dimensions of `a` right-aligned to `ndim`, with ones in front."""
    cdef int axis
    for axis in range(ndim - a.ndim):
        dims[axis] = 1
    dims_of(a, dims + ndim - a.ndim)
    return 0


def unary(str name, Array x not None, Array out not None, req="write"):
    """Compute ``out[i] = f(x[i])`` with the kernel `name`.

    Parameters
    ----------
    name : str
        A key of the list in ``include/opforge_elementwise.h``, for instance ``"exp"``.
    x, out : Array, same shape and dtype
    req : {"write", "inplace", "add", "null"}

    Raises
    ------
    OperatorNotFoundError
        There is no such kernel.
    ShapeError, DTypeError
        `out` does not look like `x`.
    """
    cdef int op = code_in(UNARY_CODES, "unary", name), how = req_code(req)
    cdef Array target
    check_dtype(name, "out", out, x.code)
    check_shape(name, out, x.shape)
    if how == REQ_NULL:
        return
    wait_read(x)
    wait_write(out)
    target = elementwise_target_of(out, how, (x,))
    with nogil:
        run_unary(op, x.code, x.data, target.data, x.size)
    settle(out, target, how)


def binary(str name, Array a not None, Array b not None, Array out not None, req="write"):
    """Compute ``out = f(a, b)`` element by element; `a` and `b` broadcast.

    Parameters
    ----------
    name : str
        A key of the list in ``include/opforge_elementwise.h``, for instance ``"add"``.
    a, b : Array, one dtype
    out : Array, same dtype, the shape that `a` and `b` broadcast to
        Comparisons write 0 and 1 in the operands' dtype.
    req : {"write", "inplace", "add", "null"}

    Raises
    ------
    OperatorNotFoundError
        There is no such kernel.
    ShapeError, DTypeError
        The operands do not broadcast, or the arrays' shapes or dtypes do not fit.
    """
    cdef int op = code_in(BINARY_CODES, "binary", name), how = req_code(req)
    cdef bint equal = same_shape(a, b)
    cdef Array target
    cdef Py_ssize_t[MAX_NDIM] a_dims, b_dims, out_dims
    check_dtype(name, "b", b, a.code)
    check_dtype(name, "out", out, a.code)
    check_shape(name, out, a.shape if equal else broadcast_shape(name, a, b))
    if how == REQ_NULL:
        return
    wait_read(a)
    wait_read(b)
    wait_write(out)
    target = elementwise_target_of(out, how, (a, b))
    if equal:
        with nogil:
            run_binary(op, a.code, a.data, b.data, target.data, a.size, MODE_VV)
    else:
        aligned_dims(a, out.ndim, a_dims)
        aligned_dims(b, out.ndim, b_dims)
        dims_of(out, out_dims)
        with nogil:
            run_broadcast(op, a.code, a.data, a_dims, b.data, b_dims, target.data, out_dims, out.ndim)
    settle(out, target, how)


def binary_scalar(
    str name, Array x not None, object scalar, Array out not None, bint reverse=False, req="write"
):
    """Compute ``out[i] = f(x[i], scalar)``, or ``f(scalar, x[i])`` where `reverse`.

    Parameters
    ----------
    name : str
        A key of the list in ``include/opforge_elementwise.h``, for instance ``"power"``.
    x, out : Array, same shape and dtype
    scalar : int or float
        Rounded to the arrays' dtype; towards zero for integer arrays, as in MXNet.
    req : {"write", "inplace", "add", "null"}
    """
    cdef int op = code_in(BINARY_CODES, "binary", name), how = req_code(req)
    cdef Array target
    cdef bint whole = isinstance(scalar, int)
    cdef long long whole_value = scalar if whole and x.code == I64 else 0
    cdef double value = scalar
    check_dtype(name, "out", out, x.code)
    check_shape(name, out, x.shape)
    if how == REQ_NULL:
        return
    wait_read(x)
    wait_write(out)
    target = elementwise_target_of(out, how, (x,))
    with nogil:
        if whole and x.code == I64:
            run_binary_scalar_i64(op, x.code, x.data, whole_value, target.data, x.size, reverse)
        else:
            run_binary_scalar(op, x.code, x.data, value, target.data, x.size, reverse)
    settle(out, target, how)


def cast(Array x not None, Array out not None, req="write"):
    """Convert `x` to the dtype of `out`.

    Parameters
    ----------
    x, out : Array, same shape
        Floats go to integers by truncation, wide integers to narrow ones by wrapping, and
        everything but 0 to True.
    req : {"write", "inplace", "add", "null"}
    """
    cdef int how = req_code(req)
    cdef Array target
    check_shape("cast", out, x.shape)
    if how == REQ_NULL:
        return
    wait_read(x)
    wait_write(out)
    target = elementwise_target_of(out, how, (x,))
    with nogil:
        run_cast(x.code, out.code, x.data, target.data, x.size)
    settle(out, target, how)


cdef struct Selection:
    const char* condition
    const char* a
    const char* b
    char* y
    Py_ssize_t size                    # of an element
    int width                          # log2 of it


cdef void where_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Selection* s = <Selection*>arg
    cdef Py_ssize_t start = begin * s.size
    kernels().where[s.width](
        <const unsigned char*>s.condition + begin, s.a + start, s.b + start, s.y + start, end - begin
    )


cdef Array whole(Array x, tuple shape):
    """`x` itself or, where it is smaller, a temporary that its elements are spread over."""
    cdef Array result
    cdef Py_ssize_t[MAX_NDIM] x_dims, dims
    if x.shape == shape:
        return x
    result = new_array(shape, x.code, x.context)
    aligned_dims(x, result.ndim, x_dims)
    dims_of(result, dims)
    with nogil:
        expand(x.data, x_dims, result.data, dims, result.ndim, itemsize_of(x.code))
    return result


def where(
    Array condition not None, Array a not None, Array b not None, Array out not None, req="write"
):
    """Take `a` where `condition` is not 0 (NaN counts as not 0), `b` elsewhere.

    Parameters
    ----------
    condition : Array, any dtype
        The shape of `a`, or ``(a.shape[0],)`` to choose whole rows, as in MXNet; else broadcast.
    a, b, out : Array, one dtype
        `a` and `b` broadcast to the shape of `out`.
    req : {"write", "inplace", "add", "null"}
    """
    cdef int how = req_code(req)
    cdef Array mask, target
    cdef Selection job
    check_dtype("where", "b", b, a.code)
    check_dtype("where", "out", out, a.code)
    if how == REQ_NULL:
        return
    for item in (condition, a, b):
        wait_read(<Array>item)
    wait_write(out)
    shape = broadcast_shape("where", a, b)
    if condition.ndim == 1 and len(shape) > 1 and condition.shape[0] == shape[0]:
        condition = condition._view(0, (shape[0],) + (1,) * (len(shape) - 1))
    mask = new_array(condition.shape, BOOL, condition.context)
    run_cast(condition.code, BOOL, condition.data, mask.data, mask.size)
    if mask.shape != shape:
        probe = new_array(shape, BOOL, out.context)
        shape = broadcast_shape("where", mask, probe)
    check_shape("where", out, shape)
    a, b, mask = whole(a, shape), whole(b, shape), whole(mask, shape)
    target = elementwise_target_of(out, how, (a, b))
    job.condition = mask.data
    job.a = a.data
    job.b = b.data
    job.y = target.data
    job.size = itemsize_of(a.code)
    job.width = {1: 0, 2: 1, 4: 2, 8: 3}[job.size]
    with nogil:
        parallel_for(out.size, GRAIN, where_part, &job)
    settle(out, target, how)


cdef struct Clipping:
    int code
    double low
    double high
    const char* x
    char* y


cdef void clip_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Two passes over chunks that stay in the first-level cache."""
    cdef Clipping* c = <Clipping*>arg
    cdef Py_ssize_t size = itemsize_of(c.code), n
    cdef char* y
    while begin < end:
        n = min(<Py_ssize_t>CLIP_CHUNK, end - begin)
        y = c.y + begin * size
        run_binary_scalar(BINARY_maximum, c.code, c.x + begin * size, c.low, y, n, False)
        run_binary_scalar(BINARY_minimum, c.code, y, c.high, y, n, False)
        begin += n


def clip(Array x not None, double a_min, double a_max, Array out not None, req="write"):
    """Hold `x` between `a_min` and `a_max`; NaN stays NaN.

    Parameters
    ----------
    x, out : Array, same shape and dtype
    a_min, a_max : float
        Rounded to the arrays' dtype; towards zero for integer arrays, as in MXNet. Bounds that an
        integer dtype cannot hold are its own.
    req : {"write", "inplace", "add", "null"}
    """
    cdef int how = req_code(req)
    cdef Array target
    cdef double low = a_min, high = a_max
    cdef Clipping job
    check_dtype("clip", "out", out, x.code)
    check_shape("clip", out, x.shape)
    if how == REQ_NULL:
        return
    if not _dtypes.is_floating(x.code):
        low, high = hold(low, x.code), hold(high, x.code)
    wait_read(x)
    wait_write(out)
    target = elementwise_target_of(out, how, (x,))
    job = Clipping(x.code, low, high, x.data, target.data)
    with nogil:
        parallel_for(x.size, CLIP_CHUNK, clip_part, &job)
    settle(out, target, how)


cdef double hold(double bound, int code) except? -1:
    """`bound` within what the integer type `code` holds and float64 can say."""
    least, most = {3: (0, 255), 4: (-2**31, 2**31 - 1), 5: (-128, 127), 7: (0, 1)}.get(
        code, (-2**63, 2**63 - 1024)
    )
    return min(max(bound, <double>least), <double>most)


cdef struct Filling:
    char* y
    Py_ssize_t size
    int64_t bits                       # the element in its first bytes


cdef void fill_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Filling* f = <Filling*>arg
    # All in locals: the compiler must know that the stores change none of it to use vectors.
    cdef char* y = f.y
    cdef int64_t bits = f.bits
    cdef Py_ssize_t i
    cdef unsigned char byte
    cdef int16_t half
    cdef int32_t word
    memcpy(&byte, &bits, 1)
    memcpy(&half, &bits, 2)
    memcpy(&word, &bits, 4)
    if f.size == 1:
        memset(y + begin, byte, end - begin)
    elif f.size == 2:
        for i in range(begin, end):
            (<int16_t*>y)[i] = half
    elif f.size == 4:
        for i in range(begin, end):
            (<int32_t*>y)[i] = word
    else:
        for i in range(begin, end):
            (<int64_t*>y)[i] = bits


def fill(Array out not None, value):
    """Set every element of `out` to `value`, rounded to its dtype."""
    cdef double number
    cdef int64_t whole_number
    cdef Filling job
    wait_write(out)
    job.y = out.data
    job.size = itemsize_of(out.code)
    job.bits = 0
    if out.code == I64 and isinstance(value, int):
        whole_number = value
        job.bits = whole_number
    else:
        number = value
        run_cast(F64, out.code, &number, &job.bits, 1)
    with nogil:
        parallel_for(out.size, GRAIN, fill_part, &job)
