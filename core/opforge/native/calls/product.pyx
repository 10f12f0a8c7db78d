"""Matrix products: two matrices with transposes, bias and accumulation, and batches of them.

This module checks arguments and writes or adds the result to `out`; `native.loops.product` computes it.
float16, and bfloat16 where the processor cannot multiply it, is computed in float32.
"""

from libc.string cimport memset
from opforge.abi cimport opforge_step

from opforge.native.array.array cimport Array, new_array, overlaps, wait_read, wait_write
from opforge.native.array.expect cimport expect_code, expect_ndim, expect_shape
from opforge.native.array.output cimport req_code, settle
from opforge.native.loops.blas cimport blas, loaded_blas
from opforge.native.loops.casting cimport run_cast
from opforge.native.loops.product cimport MAX_SIDE, Product, has_brain_kernel, run_batch, run_product
from opforge.native.loops.strided cimport Walk, strided_copy, walk_push, walk_start
from opforge.native.memory.types cimport (
    BOOL, F32, F64, REQ_ADD, REQ_NULL, is_float, is_half, itemsize_of,
)

from opforge.base.errors import DTypeError, ShapeError

__all__ = ["batch_dot", "gemm"]


cdef int run_gemm(
    int code, bint ta, bint tb, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, const void* a,
    const void* b, void* c, const void* bias, double beta, const opforge_step* steps, int n_steps,
) noexcept nogil:
    cdef Product p
    if (code != F32 and code != F64) or max(m, n, k) > MAX_SIDE:
        return 1
    if loaded_blas() == NULL:
        return 2
    if m == 0 or n == 0:
        return 0
    memset(&p, 0, sizeof(p))
    p.blas = loaded_blas()
    p.code, p.ta, p.tb, p.m, p.n, p.k, p.ldc = code, ta, tb, m, n, k, n
    p.lda = max(m if ta else k, 1)
    p.ldb = max(k if tb else n, 1)
    p.a, p.b, p.bias, p.out = <const char*>a, <const char*>b, <const char*>bias, <char*>c
    p.alpha, p.beta = 1.0, beta
    p.steps, p.n_steps, p.result = steps, n_steps, p.out
    run_product(&p)
    return 0


cdef int describe(
    Product* p, str function, Array a, Array b, Array out, bint ta, bint tb, int lead
) except -1:
    """Check types and shapes, of which the first `lead` axes count batches, and fill in the sizes."""
    expect_ndim(function, "a", a, 2 + lead)
    expect_ndim(function, "b", b, 2 + lead)
    expect_code(function, "b", b, a.code)
    expect_code(function, "out", out, a.code)
    if a.code == BOOL:
        raise DTypeError(f"{function}: 'a' has dtype bool; cast it to a number first")
    cdef Py_ssize_t a_rows = a.shape[lead], a_cols = a.shape[lead + 1]
    cdef Py_ssize_t b_rows = b.shape[lead], b_cols = b.shape[lead + 1]
    cdef Py_ssize_t m = a_cols if ta else a_rows, k = a_rows if ta else a_cols
    cdef Py_ssize_t n = b_rows if tb else b_cols, k_of_b = b_cols if tb else b_rows
    if k != k_of_b or a.shape[:lead] != b.shape[:lead]:
        raise ShapeError(
            f"{function}: 'a' of shape {a.shape}{' (transposed)' if ta else ''} and 'b' of shape "
            f"{b.shape}{' (transposed)' if tb else ''} do not match: expected equal "
            f"{'batch and ' if lead else ''}inner lengths, got inner lengths {k} and {k_of_b}"
        )
    expect_shape(function, "out", out, a.shape[:lead] + (m, n))
    if max(m, n, k) > MAX_SIDE:
        raise ShapeError(f"{function}: a side of length {max(m, n, k)} exceeds the 32-bit sizes of BLAS")
    memset(p, 0, sizeof(Product))
    p.m, p.n, p.k, p.lda, p.ldb, p.ldc = m, n, k, max(a_cols, 1), max(b_cols, 1), n
    p.ta, p.tb, p.code = ta, tb, a.code
    wait_read(a)
    wait_read(b)
    return wait_write(out)


cdef Array to_float32(Array x):
    """Return a float32 copy of an array."""
    cdef Array result_f32 = new_array(x.shape, F32, x.context)
    with nogil:
        run_cast(x.code, F32, x.data, result_f32.data, x.size)
    return result_f32


cdef bint multiplies_brains(const Product* p) noexcept nogil:
    """Return whether a kernel for bfloat16 computes a product whose first operand `with_rows` returns."""
    cdef Product rows = p[0]
    rows.ta = False
    return has_brain_kernel(&rows)


cdef Array with_rows(Product* p, Array a):
    """Return the first operand, or a copy that is not transposed."""
    cdef Py_ssize_t rows = a.shape[a.ndim - 2], columns = a.shape[a.ndim - 1]
    cdef Array copy
    cdef Walk walk
    if not p.ta:
        return a
    copy = new_array((*a.shape[:a.ndim - 2], columns, rows), a.code, a.context)
    walk_start(&walk)
    walk_push(&walk, a.size // (rows * columns), rows * columns, rows * columns)
    walk_push(&walk, columns, 1, rows)
    walk_push(&walk, rows, columns, 1)
    with nogil:
        strided_copy(a.data, copy.data, <int>itemsize_of(a.code), &walk)
    p.ta, p.lda = False, rows
    return copy


def gemm(
    Array a not None, Array b not None, Array out not None, bint transpose_a=False,
    bint transpose_b=False, double alpha=1.0, Array bias=None, req="write",
):
    """Compute ``out = alpha * op(a) @ op(b) + bias``.

    Parameters
    ----------
    a, b : Array, 2-d, one dtype
    out : Array, shape (m, n), same dtype
    transpose_a, transpose_b : bool
        Whether op(a) or op(b) is the transpose.
    alpha : float
    bias : Array, shape (n,), optional
        Added to each row.
    req : {"write", "inplace", "add", "null"}

    Raises
    ------
    ShapeError, DTypeError
        The shapes do not match or the dtypes differ.
    """
    cdef int code = req_code(req)
    cdef Array target
    cdef Product p
    describe(&p, "gemm", a, b, out, transpose_a, transpose_b, 0)
    if bias is not None:
        expect_shape("gemm", "bias", bias, (out.shape[1],))
        expect_code("gemm", "bias", bias, a.code)
        wait_read(bias)
    if code == REQ_NULL or out.size == 0:
        return
    p.alpha = alpha
    p.beta = 1.0 if code == REQ_ADD else 0.0
    if multiplies_brains(&p):
        a = with_rows(&p, a)
    elif is_half(a.code):
        target = new_array(out.shape, F32, out.context)
        gemm(to_float32(a), to_float32(b), target, transpose_a, transpose_b, alpha,
             None if bias is None else to_float32(bias))
        store_rounded(out, target, code)
        return
    target = out
    if overlaps(out, a) or overlaps(out, b) or (bias is not None and overlaps(out, bias)):
        target = new_array(out.shape, out.code, out.context)
    p.beta = 1.0 if code == REQ_ADD and target is out else 0.0
    multiply_into(&p, a, b, target, bias)
    if target is not out:
        settle(out, target, code)


cdef int store_rounded(Array out, Array result_f32, int req) except -1:
    """Round a float32 result to the type of `out` and write or add it."""
    cdef Array rounded = new_array(out.shape, out.code, out.context)
    with nogil:
        run_cast(F32, out.code, result_f32.data, rounded.data, result_f32.size)
    return settle(out, rounded, req)


cdef int multiply_into(Product* p, Array a, Array b, Array target, Array bias) except -1:
    p.blas = blas() if is_float(p.code) else NULL
    p.a, p.b, p.out = a.data, b.data, target.data
    p.bias = NULL if bias is None else bias.data
    with nogil:
        run_product(p)
    return 0


def batch_dot(
    Array a not None, Array b not None, Array out not None, bint transpose_a=False,
    bint transpose_b=False, req="write",
):
    """Multiply pairs of matrices: ``out[i] = op(a[i]) @ op(b[i])``.

    Parameters
    ----------
    a, b, out : Array, 3-d, one dtype
        The first axis is the batch.
    """
    cdef int code = req_code(req)
    cdef Py_ssize_t item, count
    cdef Array target = out
    cdef Product p
    describe(&p, "batch_dot", a, b, out, transpose_a, transpose_b, 1)
    if code == REQ_NULL or out.size == 0:
        return
    p.alpha = 1.0
    p.beta = 1.0 if code == REQ_ADD else 0.0
    if multiplies_brains(&p):
        a = with_rows(&p, a)
    elif is_half(a.code):
        target = new_array(out.shape, F32, out.context)
        batch_dot(to_float32(a), to_float32(b), target, transpose_a, transpose_b)
        store_rounded(out, target, code)
        return
    if overlaps(out, a) or overlaps(out, b):
        target = new_array(out.shape, out.code, out.context)
    count, item = a.shape[0], itemsize_of(a.code)
    p.beta = 1.0 if code == REQ_ADD and target is out else 0.0
    p.blas = blas() if is_float(p.code) else NULL
    p.a, p.b, p.out = a.data, b.data, target.data
    p.batch_a, p.batch_b, p.batch_out = p.m * p.k * item, p.k * p.n * item, p.m * p.n * item
    with nogil:
        run_batch(&p, count)
    if target is not out:
        settle(out, target, code)
