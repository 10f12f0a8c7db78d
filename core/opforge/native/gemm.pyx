"""Matrix products: two matrices with transposes, bias and accumulation, and batches of them.

float32 and float64 go to OpenBLAS (a few rows of float32 to an own kernel), float16 through float32, integers to a plain loop that wraps as
NumPy's does. The larger side of the result is cut and the cuts run on opforge's threads.
"""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from opforge.native.array cimport (
    BOOL, F16, F32, F64, I8, I32, I64, REQ_ADD, REQ_NULL, U8, Array, itemsize_of, new_array,
    overlaps, req_code, wait_read, wait_write,
)
from opforge.native.blas cimport NO_TRANS, ROW_MAJOR, TRANS, Blas, blas, blas_or_null
from opforge.native.elementwise cimport BINARY_add, run_binary, run_cast
from opforge.native.expect cimport expect_code, expect_ndim, expect_shape
from opforge.native.output cimport settle
from opforge.native.parallel cimport num_threads, parallel_for_worth

from opforge.base.errors import DTypeError, ShapeError
from opforge.native import isa as _isa

__all__ = ["batch_dot", "gemm"]

cdef extern from "opforge_matmul.h" nogil:
    ctypedef void (*opforge_few_rows_fn)(
        const float*, const float*, const float*, float*, Py_ssize_t, Py_ssize_t, Py_ssize_t,
        Py_ssize_t, int) noexcept nogil
    ctypedef struct opforge_matmul_table:
        opforge_few_rows_fn few_rows

cdef opforge_matmul_table* kernels = <opforge_matmul_table*>PyCapsule_GetPointer(
    _isa.table("matmul"), "opforge.kernels.matmul"
)

cdef enum:
    # Rows of float32 by a transposed matrix that go to the own kernel. With 128 x 784 weights BLAS takes
    # 35 us for 2 rows, 38 for 8, 121 for 48, the kernel 7, 21 and 115; it sums across lanes at the end of
    # each row, so shorter rows pay for fewer: with 64 x 128 weights both take 5 us for 16 rows.
    FEW_ROWS = 16                      # rows of any length
    FEW_ROWS_LONG = 48                 # and of FEW_LENGTH times as many elements
    FEW_LENGTH = 16
    FEW_ELEMENTS = 1 << 16             # of `a`, which is read again for each four rows of `b`: half an L2
    # BLAS packs its operands anew in each part: a cut by columns packs `a` once more (measured 0.17 ns
    # an element), one by rows `b` (0.26 ns), against 0.023 ns a multiply-add. Parts beyond one a thread
    # (they let threads in time take the share of a late one) are kept so large that this stays near 5%.
    PART_COLUMNS = 128
    PART_ROWS = 192
    CUT_FLOPS = 1 << 20                # what a part must be worth: 12 us of one core
    INTEGER_COST = 128                 # flops of BLAS in the time of one of the plain loop
    CUT_ALIGN = 16                     # rows or columns of a cut, so that BLAS's inner tiles stay full
    MAX_SIDE = 0x7FFFFFFF              # BLAS counts in 32 bits

# About a second of one core. Longer products are halved first, so that no part is long: only between
# parts can Ctrl-C end them.
cdef double LONG_FLOPS = 2e11

ctypedef fused Integral:
    uint8_t
    int8_t
    int32_t
    int64_t

cdef struct Product:                   # out[m, n] = alpha * op(a)[m, k] op(b)[k, n] + bias + beta * out
    Blas* blas
    const char* a
    const char* b
    const char* bias                   # n elements, or NULL
    char* out
    Py_ssize_t m, n, k
    Py_ssize_t lda, ldb, ldc
    Py_ssize_t step                    # rows or columns of a part
    bint ta, tb
    double alpha, beta
    int code
    bint by_column
    Py_ssize_t batch_a, batch_b, batch_out   # bytes from one product of a batch to the next


cdef void integer_product(Integral* tag, Product* p) noexcept nogil:
    """Sums in 64 unsigned bits, where overflow wraps; what is cut off at the end has no effect before."""
    cdef const Integral* a = <const Integral*>p.a
    cdef const Integral* b = <const Integral*>p.b
    cdef Integral* out = <Integral*>p.out
    cdef Py_ssize_t i, j, k
    cdef Py_ssize_t a_row = 1 if p.ta else p.lda, a_col = p.lda if p.ta else 1
    cdef uint64_t total, scaled, alpha = <uint64_t>(<int64_t>p.alpha)
    for i in range(p.m):
        if p.beta == 0:
            memset(out + i * p.n, 0, p.n * sizeof(Integral))
        if p.tb:
            for j in range(p.n):
                total = 0
                for k in range(p.k):
                    total += <uint64_t>(<int64_t>a[i * a_row + k * a_col]) * <uint64_t>(<int64_t>b[j * p.ldb + k])
                out[i * p.n + j] = <Integral>(<int64_t>(<uint64_t>(<int64_t>out[i * p.n + j]) + alpha * total))
        else:
            for k in range(p.k):       # along the rows of b, which are contiguous
                scaled = alpha * <uint64_t>(<int64_t>a[i * a_row + k * a_col])
                for j in range(p.n):
                    out[i * p.n + j] = <Integral>(<int64_t>(
                        <uint64_t>(<int64_t>out[i * p.n + j]) + scaled * <uint64_t>(<int64_t>b[k * p.ldb + j])))


cdef void float_product(Product* p, Py_ssize_t ldc) noexcept nogil:
    """One call of BLAS; a single row or column goes to the matrix-vector routine."""
    cdef int ta = TRANS if p.ta else NO_TRANS, tb = TRANS if p.tb else NO_TRANS
    cdef int m = <int>p.m, n = <int>p.n, k = <int>p.k, lda = <int>p.lda, ldb = <int>p.ldb
    cdef int rows, cols
    if m == 1 and (not p.ta or lda == 1):
        rows = n if p.tb else k
        cols = k if p.tb else n
        if p.code == F32:
            p.blas.sgemv(ROW_MAJOR, NO_TRANS if p.tb else TRANS, rows, cols, <float>p.alpha,
                         <const float*>p.b, ldb, <const float*>p.a, 1, <float>p.beta, <float*>p.out, 1)
        else:
            p.blas.dgemv(ROW_MAJOR, NO_TRANS if p.tb else TRANS, rows, cols, p.alpha,
                         <const double*>p.b, ldb, <const double*>p.a, 1, p.beta, <double*>p.out, 1)
    elif n == 1 and ldc == 1 and (p.tb or ldb == 1):
        rows = k if p.ta else m
        cols = m if p.ta else k
        if p.code == F32:
            p.blas.sgemv(ROW_MAJOR, ta, rows, cols, <float>p.alpha,
                         <const float*>p.a, lda, <const float*>p.b, 1, <float>p.beta, <float*>p.out, 1)
        else:
            p.blas.dgemv(ROW_MAJOR, ta, rows, cols, p.alpha,
                         <const double*>p.a, lda, <const double*>p.b, 1, p.beta, <double*>p.out, 1)
    elif p.code == F32:
        p.blas.sgemm(ROW_MAJOR, ta, tb, m, n, k, <float>p.alpha, <const float*>p.a, lda,
                     <const float*>p.b, ldb, <float>p.beta, <float*>p.out, <int>ldc)
    else:
        p.blas.dgemm(ROW_MAJOR, ta, tb, m, n, k, p.alpha, <const double*>p.a, lda,
                     <const double*>p.b, ldb, p.beta, <double*>p.out, <int>ldc)


cdef void put_bias(Product* p, Py_ssize_t ldc) noexcept nogil:
    """Start each row of the result from the bias, or add it; the product is then added."""
    cdef Py_ssize_t i, item = itemsize_of(p.code)
    cdef char* row
    for i in range(p.m):
        row = p.out + i * ldc * item
        if p.beta != 0:
            run_binary(BINARY_add, p.code, row, p.bias, row, p.n, 0)
        else:
            memcpy(row, p.bias, p.n * item)
    p.beta = 1.0


cdef inline bint is_few(Product* p) noexcept nogil:
    """Whether the own kernel beats BLAS."""
    return (
        p.code == F32 and p.tb and not p.ta and p.alpha == 1 and p.m <= FEW_ROWS_LONG
        and (p.m <= FEW_ROWS or p.m * FEW_LENGTH <= p.k)
        and (p.m == 1 or p.m * p.k <= FEW_ELEMENTS)
    )


cdef void part_product(Product* p, Py_ssize_t ldc) noexcept nogil:
    """Bias and product of one part, while the part is in cache."""
    if is_few(p):
        kernels.few_rows(<const float*>p.a, <const float*>p.b, <const float*>p.bias, <float*>p.out,
                         p.m, p.n, p.k, ldc, p.beta != 0)
        return
    if p.bias != NULL:
        put_bias(p, ldc)
    if p.blas != NULL:
        float_product(p, ldc)
    elif p.code == U8:
        integer_product(<uint8_t*>NULL, p)
    elif p.code == I8:
        integer_product(<int8_t*>NULL, p)
    elif p.code == I32:
        integer_product(<int32_t*>NULL, p)
    elif p.code == I64:
        integer_product(<int64_t*>NULL, p)


cdef Py_ssize_t step_of(Product* p, Py_ssize_t length, double flops) noexcept nogil:
    """Rows or columns that a part should have."""
    cdef Py_ssize_t units = (length + CUT_ALIGN - 1) // CUT_ALIGN
    cdef Py_ssize_t least = <Py_ssize_t>(units * (CUT_FLOPS / flops)) + 1
    cdef Py_ssize_t fair = (units + num_threads() - 1) // num_threads()
    cdef Py_ssize_t good = (PART_COLUMNS if p.by_column else PART_ROWS) // CUT_ALIGN
    return max(least, min(fair, good)) * CUT_ALIGN


cdef Product cut_of(Product* whole, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """The part of `whole` from row or column `start` to `end` of the result."""
    cdef Product part = whole[0]
    cdef Py_ssize_t item = itemsize_of(whole.code)
    if whole.by_column:
        part.n = end - start
        part.b += start * item * (whole.ldb if whole.tb else 1)
        part.out += start * item
        if part.bias != NULL:
            part.bias += start * item
    else:
        part.m = end - start
        part.a += start * item * (1 if whole.ta else whole.lda)
        part.out += start * item * whole.ldc
    return part


cdef void product_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Cuts [begin, end) of the result, each of `step` rows or columns."""
    cdef Product* whole = <Product*>arg
    cdef Py_ssize_t length = whole.n if whole.by_column else whole.m
    cdef Product part = cut_of(whole, begin * whole.step, min(end * whole.step, length))
    part_product(&part, whole.ldc)


cdef void integer_rows(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Product part = cut_of(<Product*>arg, begin, end)
    part_product(&part, part.ldc)


cdef void run_product(Product* p) noexcept nogil:
    """Compute `p` on as many threads as it is worth; m and n are not 0."""
    cdef Py_ssize_t length
    cdef Product half
    cdef double flops = 2.0 * p.m * p.n * p.k
    p.by_column = p.blas != NULL and p.n * PART_ROWS >= p.m * PART_COLUMNS
    length = p.n if p.by_column else p.m
    if p.k == 0:
        if p.bias != NULL:
            put_bias(p, p.ldc)
        elif p.beta == 0:
            memset(p.out, 0, p.m * p.n * itemsize_of(p.code))
        return
    if p.blas == NULL:
        flops *= INTEGER_COST
    if flops < 2 * CUT_FLOPS:
        part_product(p, p.ldc)
    elif p.blas == NULL:
        parallel_for_worth(p.m, flops / CUT_FLOPS, integer_rows, p)
    elif flops > LONG_FLOPS and length > 2 * CUT_ALIGN:
        half = cut_of(p, 0, length // 2 // CUT_ALIGN * CUT_ALIGN)
        run_product(&half)
        half = cut_of(p, length // 2 // CUT_ALIGN * CUT_ALIGN, length)
        run_product(&half)
    else:
        p.step = step_of(p, length, flops)
        parallel_for_worth((length + p.step - 1) // p.step, flops / CUT_FLOPS, product_part, p)


cdef int run_gemm(
    int code, bint ta, bint tb, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, const void* a,
    const void* b, void* c, const void* bias, double beta,
) noexcept nogil:
    cdef Product p
    if (code != F32 and code != F64) or max(m, n, k) > MAX_SIDE:
        return 1
    p.blas = blas_or_null()
    if p.blas == NULL:
        return 2
    if m == 0 or n == 0:
        return 0
    p.code, p.ta, p.tb, p.m, p.n, p.k, p.ldc = code, ta, tb, m, n, k, n
    p.lda = max(m if ta else k, 1)
    p.ldb = max(k if tb else n, 1)
    p.a, p.b, p.bias, p.out = <const char*>a, <const char*>b, <const char*>bias, <char*>c
    p.alpha, p.beta, p.by_column = 1.0, beta, False
    run_product(&p)
    return 0


cdef void batch_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Product* whole = <Product*>arg
    cdef Product one
    cdef Py_ssize_t i
    for i in range(begin, end):
        one = whole[0]
        one.a += i * whole.batch_a
        one.b += i * whole.batch_b
        one.out += i * whole.batch_out
        run_product(&one)


cdef int describe(
    Product* p, str function, Array a, Array b, Array out, bint ta, bint tb, int lead
) except -1:
    """Check the shapes after `lead` batch axes and fill in the sizes."""
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
            f"{b.shape}{' (transposed)' if tb else ''} do not fit: expected "
            f"{'equal batch and ' if lead else ''}inner lengths alike, got {k} and {k_of_b}"
        )
    expect_shape(function, "out", out, a.shape[:lead] + (m, n))
    if max(m, n, k) > MAX_SIDE:
        raise ShapeError(f"{function}: a side of {max(m, n, k)} is beyond BLAS's 32-bit sizes")
    p.m, p.n, p.k, p.lda, p.ldb, p.ldc = m, n, k, max(a_cols, 1), max(b_cols, 1), n
    p.ta, p.tb, p.code, p.by_column = ta, tb, a.code, False
    p.batch_a = p.batch_b = p.batch_out = 0
    p.bias = NULL
    wait_read(a)
    wait_read(b)
    return wait_write(out)


cdef Array widened(Array x):
    """A float32 copy of a float16 array."""
    cdef Array wide = new_array(x.shape, F32, x.context)
    with nogil:
        run_cast(x.code, F32, x.data, wide.data, x.size)
    return wide


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
        Whether op transposes.
    alpha : float
    bias : Array, shape (n,), optional
        Added to each row.
    req : {"write", "inplace", "add", "null"}

    Raises
    ------
    ShapeError, DTypeError
        Shapes or types do not fit.
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
    if a.code == F16:
        target = new_array(out.shape, F32, out.context)
        gemm(widened(a), widened(b), target, transpose_a, transpose_b, alpha,
             None if bias is None else widened(bias))
        narrow_into(out, target, code)
        return
    target = out
    if overlaps(out, a) or overlaps(out, b) or (bias is not None and overlaps(out, bias)):
        target = new_array(out.shape, out.code, out.context)
    p.alpha = alpha
    p.beta = 1.0 if code == REQ_ADD and target is out else 0.0
    multiply_into(&p, a, b, target, bias)
    if target is not out:
        settle(out, target, code)


cdef int narrow_into(Array out, Array wide, int req) except -1:
    """Round a float32 result to float16 and let it meet `out`."""
    cdef Array narrow = new_array(out.shape, F16, out.context)
    with nogil:
        run_cast(F32, F16, wide.data, narrow.data, wide.size)
    return settle(out, narrow, req)


cdef int multiply_into(Product* p, Array a, Array b, Array target, Array bias) except -1:
    p.blas = blas() if p.code == F32 or p.code == F64 else NULL
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
        The first axis counts the products.
    """
    cdef int code = req_code(req)
    cdef Py_ssize_t item, count
    cdef Array target = out
    cdef Product p
    cdef double flops
    describe(&p, "batch_dot", a, b, out, transpose_a, transpose_b, 1)
    if code == REQ_NULL or out.size == 0:
        return
    if a.code == F16:
        target = new_array(out.shape, F32, out.context)
        batch_dot(widened(a), widened(b), target, transpose_a, transpose_b)
        narrow_into(out, target, code)
        return
    if overlaps(out, a) or overlaps(out, b):
        target = new_array(out.shape, out.code, out.context)
    count, item = a.shape[0], itemsize_of(a.code)
    p.alpha = 1.0
    p.beta = 1.0 if code == REQ_ADD and target is out else 0.0
    p.blas = blas() if p.code == F32 or p.code == F64 else NULL
    p.a, p.b, p.out = a.data, b.data, target.data
    p.batch_a, p.batch_b, p.batch_out = p.m * p.k * item, p.k * p.n * item, p.m * p.n * item
    flops = 2.0 * p.m * p.n * max(p.k, 1)
    with nogil:
        if count < 2 * num_threads():
            batch_part(&p, 0, count)       # few products: each is cut for itself
        else:
            parallel_for_worth(count, count * flops / CUT_FLOPS, batch_part, &p)
    if target is not out:
        settle(out, target, code)
