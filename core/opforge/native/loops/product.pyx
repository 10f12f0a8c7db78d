"""Matrix products on raw memory: which routine computes them, and how they are cut for threads.

float32 and float64 go to OpenBLAS, few rows of float32 to kernels of opforge, integers to a plain
loop that wraps as NumPy's does. The result is cut into rows or columns.
"""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from opforge.native.kernels.product cimport opforge_product_table
from opforge.native.loops.blas cimport NO_TRANS, ROW_MAJOR, TRANS, enter_blas, leave_blas
from opforge.native.loops.elementwise cimport (
    BINARY_add, BINARY_multiply, MODE_VS, MODE_VV, run_binary, run_binary_scalar,
)
from opforge.native.loops.epilogue cimport run_epilogue
from opforge.native.memory.types cimport F32, I8, I32, I64, U8, itemsize_of
from opforge.native.threads.parallel cimport inside_loop, num_threads, parallel_for_worth

from opforge.native.kernels import isa as _isa

cdef opforge_product_table* kernels = <opforge_product_table*>PyCapsule_GetPointer(
    _isa.table("product"), "opforge.kernels.product"
)

cdef enum:
    # Rows of float32 by a transposed matrix that go to the own kernel. With 128 x 784 weights BLAS takes
    # 35 us for 2 rows, 38 for 8, 121 for 48, the kernel 7, 21 and 115; it sums across lanes at the end of
    # each row, so shorter rows pay for fewer: with 64 x 128 weights both take 5 us for 16 rows.
    FEW_ROWS = 16                      # rows of any length
    FEW_ROWS_LONG = 48                 # and of FEW_LENGTH times as many elements
    FEW_LENGTH = 16
    FEW_ELEMENTS = 1 << 16             # of `a`, which is read again for each four rows of `b`: half an L2
    # Panels: 32 rows by transposed 1024 x 256 take BLAS 206 us, them 186; 64 rows 361 and 336.
    SOME_ROWS = 64                     # at most
    SOME_COLUMNS = 256                 # at least
    SOME_LENGTH = 64
    # BLAS packs its operands anew in each part: a cut by columns packs `a` once more (measured 0.17 ns
    # an element), one by rows `b` (0.26 ns), against 0.023 ns a multiply-add. Parts beyond one a thread
    # (they let threads in time take the share of a late one) are kept so large that this stays near 5%.
    PART_COLUMNS = 128
    PART_ROWS = 192
    PARTS_EACH = 4                     # of a thread, at most
    CUT_FLOPS = 1 << 20                # what a part must be worth: 12 us of one core
    INTEGER_COST = 128                 # flops of BLAS in the time of one of the plain loop
    CUT_ALIGN = 16                     # rows or columns of a cut, so that BLAS's inner tiles stay full

cdef Py_ssize_t most_rows = SOME_ROWS if kernels.some_rows != NULL else 0

# About a second of one core. Longer products are halved first, so that no part is long: only between
# parts can Ctrl-C end them.
cdef double LONG_FLOPS = 2e11

ctypedef fused Integral:
    uint8_t
    int8_t
    int32_t
    int64_t

ctypedef fused Real:
    float
    double


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
            memset(out + i * p.ldc, 0, p.n * sizeof(Integral))
        if p.tb:
            for j in range(p.n):
                total = 0
                for k in range(p.k):
                    total += <uint64_t>(<int64_t>a[i * a_row + k * a_col]) * <uint64_t>(<int64_t>b[j * p.ldb + k])
                out[i * p.ldc + j] = <Integral>(<int64_t>(
                    <uint64_t>(<int64_t>out[i * p.ldc + j]) + alpha * total))
        else:
            for k in range(p.k):       # along the rows of b, which are contiguous
                scaled = alpha * <uint64_t>(<int64_t>a[i * a_row + k * a_col])
                for j in range(p.n):
                    out[i * p.ldc + j] = <Integral>(<int64_t>(
                        <uint64_t>(<int64_t>out[i * p.ldc + j]) + scaled * <uint64_t>(<int64_t>b[k * p.ldb + j])))


cdef void blas_product(Product* p) noexcept nogil:
    """One call of BLAS; a single row or column goes to the matrix-vector routine."""
    cdef int ta = TRANS if p.ta else NO_TRANS, tb = TRANS if p.tb else NO_TRANS
    cdef int m = <int>p.m, n = <int>p.n, k = <int>p.k, lda = <int>p.lda, ldb = <int>p.ldb
    cdef int rows, cols
    if n == 1 and not p.tb and ldb == 1:
        # One column is one row: BLAS would add up a product of two vectors in a single number.
        tb, ldb = TRANS, k
    if m == 1 and (not p.ta or lda == 1):
        rows = k if tb == NO_TRANS else n
        cols = n if tb == NO_TRANS else k
        if p.code == F32:
            p.blas.sgemv(ROW_MAJOR, TRANS if tb == NO_TRANS else NO_TRANS, rows, cols, <float>p.alpha,
                         <const float*>p.b, ldb, <const float*>p.a, 1, <float>p.beta, <float*>p.out, 1)
        else:
            p.blas.dgemv(ROW_MAJOR, TRANS if tb == NO_TRANS else NO_TRANS, rows, cols, p.alpha,
                         <const double*>p.b, ldb, <const double*>p.a, 1, p.beta, <double*>p.out, 1)
    elif n == 1 and p.ldc == 1 and tb == TRANS:
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
                     <const float*>p.b, ldb, <float>p.beta, <float*>p.out, <int>p.ldc)
    else:
        p.blas.dgemm(ROW_MAJOR, ta, tb, m, n, k, p.alpha, <const double*>p.a, lda,
                     <const double*>p.b, ldb, p.beta, <double*>p.out, <int>p.ldc)


cdef void plain_product(Real* tag, Product* p) noexcept nogil:
    """A slow loop that needs no memory."""
    cdef const Real* a = <const Real*>p.a
    cdef const Real* b = <const Real*>p.b
    cdef Real* out = <Real*>p.out
    cdef Py_ssize_t i, j, k
    cdef Py_ssize_t a_row = 1 if p.ta else p.lda, a_col = p.lda if p.ta else 1
    cdef Py_ssize_t b_row = 1 if p.tb else p.ldb, b_col = p.ldb if p.tb else 1
    cdef double total
    for i in range(p.m):
        for j in range(p.n):
            total = 0
            for k in range(p.k):
                total += <double>a[i * a_row + k * a_col] * b[k * b_row + j * b_col]
            total *= p.alpha
            out[i * p.ldc + j] = <Real>(total if p.beta == 0 else total + p.beta * out[i * p.ldc + j])


cdef void float_product(Product* p) noexcept nogil:
    if enter_blas():
        blas_product(p)
        leave_blas()
    elif p.code == F32:
        plain_product(<float*>NULL, p)
    else:
        plain_product(<double*>NULL, p)


cdef void put_bias(Product* p) noexcept nogil:
    """Start each row of the result from the bias, or add it; the product is then added."""
    cdef Py_ssize_t _row, item = itemsize_of(p.code)
    cdef int mode = MODE_VS if p.bias_by_row else MODE_VV
    cdef const char* bias = p.bias
    cdef char* row = p.out
    for _row in range(p.m):
        if p.beta != 0:
            run_binary(BINARY_add, p.code, row, bias, row, p.n, mode)
        elif p.bias_by_row:
            repeat(row, bias, item, p.n * item)
        else:
            memcpy(row, bias, p.n * item)
        row += p.ldc * item
        if p.bias_by_row:
            bias += item
    p.beta = 1.0


cdef void repeat(char* row, const char* element, Py_ssize_t item, Py_ssize_t nbytes) noexcept nogil:
    """Fill `nbytes` bytes with one element."""
    cdef Py_ssize_t done = item
    memcpy(row, element, item)
    while done < nbytes:
        memcpy(row + done, row, min(done, nbytes - done))
        done *= 2


cdef void scale_rows(Product* p) noexcept nogil:
    """Multiply the rows of the result by a `beta` that is neither 0 nor 1."""
    cdef Py_ssize_t i, step = p.ldc * itemsize_of(p.code)
    for i in range(p.m):
        run_binary_scalar(BINARY_multiply, p.code, p.out + i * step, p.beta, p.out + i * step, p.n, False)
    p.beta = 1.0


cdef void start_rows(Product* p) noexcept nogil:
    """What the result is without the product."""
    cdef Py_ssize_t i, item = itemsize_of(p.code)
    if p.beta != 0 and p.beta != 1:
        scale_rows(p)
    if p.bias != NULL:
        put_bias(p)
    elif p.beta == 0:
        for i in range(p.m):
            memset(p.out + i * p.ldc * item, 0, p.n * item)


cdef inline bint is_plain(Product* p) noexcept nogil:
    """Whether opforge's own kernels can compute it."""
    cdef bint is_scaled = p.alpha != 1 or (p.beta != 0 and p.beta != 1)
    return p.code == F32 and not p.ta and not is_scaled and (p.bias == NULL or not p.bias_by_row)


cdef inline bint is_few(Product* p) noexcept nogil:
    """Whether dot products beat BLAS."""
    return (
        p.tb and p.m <= FEW_ROWS_LONG and p.lda == p.k and p.ldb == p.k and is_plain(p)
        and (p.m <= FEW_ROWS or p.m * FEW_LENGTH <= p.k) and (p.m == 1 or p.m * p.k <= FEW_ELEMENTS)
    )


cdef inline bint is_some(Product* p) noexcept nogil:
    """Whether panels beat BLAS."""
    return FEW_ROWS < p.m <= most_rows and p.n >= SOME_COLUMNS and p.k >= SOME_LENGTH and is_plain(p)


cdef void finish(Product* p) noexcept nogil:
    """The epilogue of a part that is computed."""
    cdef Py_ssize_t position = (p.out - p.result) // itemsize_of(p.code)
    if p.n == p.ldc:
        run_epilogue(p.steps, p.n_steps, p.code, p.out, position, 1, p.m * p.n, 0)
    else:
        run_epilogue(p.steps, p.n_steps, p.code, p.out, position, p.m, p.n, p.ldc)


cdef void part_product(Product* p) noexcept nogil:
    """One part, all that is done with it while it is in cache."""
    multiply_part(p)
    if p.n_steps:
        finish(p)


cdef void multiply_part(Product* p) noexcept nogil:
    """Bias and product."""
    if is_few(p):
        kernels.few_rows(<const float*>p.a, <const float*>p.b, <const float*>p.bias, <float*>p.out,
                         p.m, p.n, p.k, p.ldc, p.beta != 0)
        return
    if p.by_panels:
        kernels.some_rows(<const float*>p.a, p.lda, <const float*>p.b, p.ldb, p.tb, <const float*>p.bias,
                          <float*>p.out, p.ldc, p.m, p.n, p.k, p.beta != 0)
        return
    if p.beta != 0 and p.beta != 1 and (p.bias != NULL or p.blas == NULL):
        scale_rows(p)
    if p.bias != NULL:
        put_bias(p)
    if p.blas != NULL:
        float_product(p)
    elif p.code == U8:
        integer_product(<uint8_t*>NULL, p)
    elif p.code == I8:
        integer_product(<int8_t*>NULL, p)
    elif p.code == I32:
        integer_product(<int32_t*>NULL, p)
    elif p.code == I64:
        integer_product(<int64_t*>NULL, p)


cdef void choose_parts(Product* p, Py_ssize_t length, double flops) noexcept nogil:
    """How many parts the rows or columns are dealt to: as many for each thread."""
    cdef Py_ssize_t threads = num_threads(), least, fair, good
    p.units = (length + CUT_ALIGN - 1) // CUT_ALIGN
    least = <Py_ssize_t>(p.units * (CUT_FLOPS / flops)) + 1
    fair = (p.units + threads - 1) // threads
    good = (PART_COLUMNS if p.by_column else PART_ROWS) // CUT_ALIGN
    p.parts = max(p.units // max(least, min(fair, good)), <Py_ssize_t>1)
    if p.parts > threads:
        p.parts = min(p.parts // threads, <Py_ssize_t>PARTS_EACH) * threads


cdef Product cut_of(Product* whole, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """The part of `whole` from row or column `start` to `end` of the result."""
    cdef Product part = whole[0]
    cdef Py_ssize_t item = itemsize_of(whole.code)
    if whole.by_column:
        part.n = end - start
        part.b += start * item * (whole.ldb if whole.tb else 1)
        part.out += start * item
    else:
        part.m = end - start
        part.a += start * item * (1 if whole.ta else whole.lda)
        part.out += start * item * whole.ldc
    if part.bias != NULL and whole.by_column != whole.bias_by_row:
        part.bias += start * item
    return part


cdef void product_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Parts [begin, end) of the result."""
    cdef Product* whole = <Product*>arg
    cdef Py_ssize_t length = whole.n if whole.by_column else whole.m
    cdef Py_ssize_t start = begin * whole.units // whole.parts * CUT_ALIGN
    cdef Py_ssize_t stop = end * whole.units // whole.parts * CUT_ALIGN
    cdef Product part = cut_of(whole, start, min(stop, length))
    part_product(&part)


cdef void integer_rows(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Product part = cut_of(<Product*>arg, begin, end)
    part_product(&part)


cdef void run_product(Product* p) noexcept nogil:
    """Compute `p` on as many threads as it is worth; m and n are not 0."""
    cdef Py_ssize_t length
    cdef Product half
    cdef double flops = 2.0 * p.m * p.n * p.k
    p.by_column = p.blas != NULL and p.n * PART_ROWS >= p.m * PART_COLUMNS
    p.by_panels = is_some(p)
    length = p.n if p.by_column else p.m
    if p.k == 0:
        start_rows(p)
        if p.n_steps:
            finish(p)
        return
    if p.blas == NULL:
        flops *= INTEGER_COST
    if flops > LONG_FLOPS and p.blas != NULL and length > 2 * CUT_ALIGN:
        half = cut_of(p, 0, length // 2 // CUT_ALIGN * CUT_ALIGN)
        run_product(&half)
        half = cut_of(p, length // 2 // CUT_ALIGN * CUT_ALIGN, length)
        run_product(&half)
    elif flops < 2 * CUT_FLOPS or p.alone or inside_loop():
        part_product(p)                # in one: each part packs its operands anew
    elif p.blas == NULL:
        parallel_for_worth(p.m, flops / CUT_FLOPS, integer_rows, p)
    else:
        choose_parts(p, length, flops)
        parallel_for_worth(p.parts, flops / CUT_FLOPS, product_part, p)


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


cdef void run_batch(Product* p, Py_ssize_t count) noexcept nogil:
    cdef double flops = 2.0 * p.m * p.n * max(p.k, <Py_ssize_t>1)
    if count < 2 * num_threads() or p.alone:
        batch_part(p, 0, count)        # few products: each is cut for itself
    else:
        parallel_for_worth(count, count * flops / CUT_FLOPS, batch_part, p)
