"""Matrix products on raw memory: selection of the routine and division among threads.

float32 uses opforge's kernels where these are faster than OpenBLAS: with 32 vector registers nearly always, else
for few rows. Other float32 products and float64 use OpenBLAS, bfloat16 kernels for processors that multiply it, and
integers a plain loop that wraps like NumPy's. The result is divided by rows or columns.
"""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

from opforge.native.kernels.product cimport opforge_product_table
from opforge.native.loops.blas cimport NO_TRANS, ROW_MAJOR, TRANS, enter_blas, leave_blas
from opforge.native.loops.elementwise cimport (
    BINARY_add, BINARY_multiply, MODE_VS, MODE_VV, run_binary, run_binary_scalar,
)
from opforge.native.loops.epilogue cimport run_epilogue
from opforge.native.memory.types cimport BF16, F32, I8, I32, I64, U8, itemsize_of
from opforge.native.threads.parallel cimport inside_loop, num_threads, parallel_for_worth

from opforge.native.kernels import isa as _isa

cdef opforge_product_table* kernels = <opforge_product_table*>PyCapsule_GetPointer(
    _isa.table("product"), "opforge.kernels.product"
)

cdef enum:
    # Dot products need no packing, but sums across lanes for each element of the result; panels of `b` are
    # transposed for all rows. With 384 columns and AVX-512, a core reaches (GFLOP/s; dots, panels)
    # 16 rows of 768: 216, 178; 32: 228, 209; 40: 226, 219; 48: 214, 228; 128: 235, 251; 64 of 3,072: 207, 231.
    DOTS_ROWS = 40                     # maximum
    DOTS_LENGTH = 5                    # elements in a row for each row
    BRAIN_DOTS_ROWS = 12               # of bfloat16: 16 of 768 reach 338 and 361, 64 of 768 300 and 475
    DOTS_DEPTH = 1024                  # elements of slices, a page of each row: 4 rows of 3,072 took 70 us, then 49
    FEW_COLUMNS = 4                    # of the result, for which a panel is mostly padding, and `a` is read once
    COLUMN_LENGTH = 1024               # up to which BLAS multiplies a matrix by a vector faster: 26 and 34 us for 1000 x 1000
    ROW_ELEMENTS = 1 << 21             # of `b` that BLAS multiplies with one row faster: panels change memory pages often
    # Limits for dot products where panels are no faster than BLAS: with 128 x 784 weights BLAS takes 35 us for
    # 2 rows, 38 for 8 and 121 for 48, dot products 7, 21 and 115.
    FEW_ROWS = 16                      # rows of any length
    FEW_ROWS_LONG = 48                 # rows of at least FEW_LENGTH times as many elements
    FEW_LENGTH = 16
    FEW_ELEMENTS = 1 << 16             # of `a`, which is reread for every four rows of `b`: half an L2 cache
    # BLAS packs its operands again in each part: dividing by columns packs `a` once more (measured 0.17 ns
    # per element), dividing by rows packs `b` (0.26 ns), against 0.023 ns per multiply-add. More than one part
    # per thread lets fast threads take over the share of a slow one; parts are kept large enough that the
    # packing stays near 5%.
    PART_COLUMNS = 128
    PART_ROWS = 192
    PARTS_PER_THREAD = 4               # maximum
    PART_FLOPS = 1 << 20               # minimum work of a part: 12 us of one core
    INTEGER_COST = 128                 # time of a flop in the plain loop, in flops of BLAS
    PART_ALIGN = 16                    # rows or columns per unit, so that inner tiles stay full
    READ_FLOPS = 4                     # time to read an element of `b`, in flops
    # A product by a vector reads each element of the matrix once: 56 us for 1000 x 1000 on one core.
    VECTOR_COST = 3                    # time of its flops, in flops of products of matrices
    # Products of two vectors are divided along the vectors, whatever the number of threads.
    VECTOR_PART = 1 << 16              # elements: 7 us
    VECTOR_PARTS = 256                 # maximum

# About one second of one core. Longer products are halved first, because Ctrl-C takes effect only between
# parts.
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
    """Accumulate in unsigned 64 bits, where overflow wraps; truncating at the end gives the same result."""
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
            for k in range(p.k):       # iterate along the contiguous rows of b
                scaled = alpha * <uint64_t>(<int64_t>a[i * a_row + k * a_col])
                for j in range(p.n):
                    out[i * p.ldc + j] = <Integral>(<int64_t>(
                        <uint64_t>(<int64_t>out[i * p.ldc + j]) + scaled * <uint64_t>(<int64_t>b[k * p.ldb + j])))


cdef inline bint are_vectors(Product* p) noexcept nogil:
    """Return whether both operands are contiguous vectors, whose product is a number."""
    return p.m == 1 and p.n == 1 and (p.lda == 1 or not p.ta) and (p.ldb == 1 or p.tb)


cdef void blas_vectors(Product* p) noexcept nogil:
    """Multiply two vectors."""
    cdef int k = <int>p.k
    if p.code == F32:
        store_number(
            <float*>p.out, p.alpha * p.blas.sdot(k, <const float*>p.a, 1, <const float*>p.b, 1), p.beta
        )
    else:
        store_number(
            <double*>p.out, p.alpha * p.blas.ddot(k, <const double*>p.a, 1, <const double*>p.b, 1), p.beta
        )


cdef inline void store_number(Real* out, double total, double beta) noexcept nogil:
    out[0] = <Real>(total if beta == 0 else total + beta * out[0])


cdef void blas_product(Product* p) noexcept nogil:
    """Call BLAS once; vectors, single rows and columns have their own routines."""
    cdef int ta = TRANS if p.ta else NO_TRANS, tb = TRANS if p.tb else NO_TRANS
    cdef int m = <int>p.m, n = <int>p.n, k = <int>p.k, lda = <int>p.lda, ldb = <int>p.ldb
    cdef int rows, cols
    if are_vectors(p):
        blas_vectors(p)
        return
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
    """Compute the product by a slow loop that needs no workspace."""
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


cdef void add_bias(Product* p) noexcept nogil:
    """Initialize each row of the result with the bias, or add it; the product is then accumulated."""
    cdef Py_ssize_t _row, itemsize = itemsize_of(p.code)
    cdef int mode = MODE_VS if p.bias_by_row else MODE_VV
    cdef const char* bias = p.bias
    cdef char* row = p.out
    for _row in range(p.m):
        if p.beta != 0:
            run_binary(BINARY_add, p.code, row, bias, row, p.n, mode)
        elif p.bias_by_row:
            fill_row(row, bias, itemsize, p.n * itemsize)
        else:
            memcpy(row, bias, p.n * itemsize)
        row += p.ldc * itemsize
        if p.bias_by_row:
            bias += itemsize
    p.beta = 1.0


cdef void fill_row(char* row, const char* element, Py_ssize_t itemsize, Py_ssize_t nbytes) noexcept nogil:
    """Fill `nbytes` bytes with one element."""
    cdef Py_ssize_t done = itemsize
    memcpy(row, element, itemsize)
    while done < nbytes:
        memcpy(row + done, row, min(done, nbytes - done))
        done *= 2


cdef void scale_rows(Product* p) noexcept nogil:
    """Multiply the rows of the result by `beta`, which is neither 0 nor 1."""
    cdef Py_ssize_t i, step = p.ldc * itemsize_of(p.code)
    for i in range(p.m):
        run_binary_scalar(BINARY_multiply, p.code, p.out + i * step, p.beta, p.out + i * step, p.n, False)
    p.beta = 1.0


cdef void initialize_rows(Product* p) noexcept nogil:
    """Compute the result without the product: beta * out + bias."""
    cdef Py_ssize_t i, itemsize = itemsize_of(p.code)
    if p.beta != 0 and p.beta != 1:
        scale_rows(p)
    if p.bias != NULL:
        add_bias(p)
    elif p.beta == 0:
        for i in range(p.m):
            memset(p.out + i * p.ldc * itemsize, 0, p.n * itemsize)


cdef inline bint supports_own_kernels(Product* p) noexcept nogil:
    """Return whether opforge's own kernels can compute the product."""
    cdef bint is_scaled = p.alpha != 1 or (p.beta != 0 and p.beta != 1)
    return p.code == F32 and not p.ta and not is_scaled and (p.bias == NULL or not p.bias_by_row)


cdef inline bint prefer_dots(Product* p) noexcept nogil:
    """Return whether dot products are faster than panels and BLAS."""
    if kernels.panels != NULL:
        return p.m == 1 or p.n <= FEW_COLUMNS or (p.m <= DOTS_ROWS and p.m * DOTS_LENGTH <= p.k)
    return p.m <= FEW_ROWS_LONG and (p.m <= FEW_ROWS or p.m * FEW_LENGTH <= p.k) and (
        p.m == 1 or p.m * p.k <= FEW_ELEMENTS)


cdef bint has_brain_kernel(const Product* p) noexcept nogil:
    """Return whether a kernel multiplies these matrices of bfloat16."""
    cdef bint is_scaled = p.alpha != 1 or (p.beta != 0 and p.beta != 1)
    cdef bint has_columns, has_pairs = p.k > 0 and p.k % 2 == 0 and (not p.tb or p.ldb % 2 == 0)
    if p.code != BF16 or kernels.brain_panels == NULL or is_scaled or not has_pairs:
        return False
    has_columns = p.bias == NULL or not p.bias_by_row
    return not p.ta and has_columns and (p.m > 1 or p.n > 1)


cdef inline int choose_brain_kernel(Product* p) noexcept nogil:
    """Return dot products for few rows, which are read again for every four rows of `b`."""
    cdef bint are_few = p.m <= BRAIN_DOTS_ROWS and p.m * 2 * DOTS_LENGTH <= p.k
    return BRAIN_DOTS if p.tb and (p.m == 1 or p.n <= FEW_COLUMNS or are_few) else BRAIN_PANELS


cdef int choose_kernel(Product* p) noexcept nogil:
    """Return the fastest kernel for a whole product; its parts use the same, whatever the number of threads."""
    if p.code == BF16:
        return choose_brain_kernel(p)
    if not supports_own_kernels(p) or are_vectors(p) or (p.n == 1 and p.m > 1 and p.k < COLUMN_LENGTH):
        return BLAS
    if p.tb and prefer_dots(p):
        return DOTS
    if kernels.panels == NULL or (p.m == 1 and p.n * p.k >= ROW_ELEMENTS):
        return BLAS
    return PANELS


cdef void apply_epilogue(Product* p) noexcept nogil:
    """Apply the epilogue to a computed part."""
    cdef Py_ssize_t position = (p.out - p.result) // itemsize_of(p.code)
    if p.n == p.ldc:
        run_epilogue(p.steps, p.n_steps, p.code, p.out, position, 1, p.m * p.n, 0)
    else:
        run_epilogue(p.steps, p.n_steps, p.code, p.out, position, p.m, p.n, p.ldc)


cdef void part_product(Product* p) noexcept nogil:
    """Compute one part and apply its epilogue while it is in the cache."""
    add_bias_and_multiply(p)
    if p.n_steps:
        apply_epilogue(p)


cdef void add_bias_and_multiply(Product* p) noexcept nogil:
    """Compute one part without its epilogue."""
    if p.kernel == DOTS:
        kernels.dots(<const float*>p.a, p.lda, <const float*>p.b, p.ldb, <const float*>p.bias, <float*>p.out,
                     p.ldc, p.m, p.n, p.k, p.depth, p.beta != 0)
        return
    if p.kernel == PANELS:
        kernels.panels(<const float*>p.a, p.lda, <const float*>p.b, p.ldb, p.tb, <const float*>p.bias,
                       <float*>p.out, p.ldc, p.m, p.n, p.k, p.beta != 0)
        return
    if p.kernel == BRAIN_DOTS or p.kernel == BRAIN_PANELS:
        (kernels.brain_dots if p.kernel == BRAIN_DOTS else kernels.brain_panels)(
            <const uint16_t*>p.a, p.lda, <const uint16_t*>p.b, p.ldb, p.tb, <const uint16_t*>p.bias,
            <uint16_t*>p.out, p.ldc, p.m, p.n, p.k, p.beta != 0)
        return
    if p.beta != 0 and p.beta != 1 and (p.bias != NULL or p.blas == NULL):
        scale_rows(p)
    if p.bias != NULL:
        add_bias(p)
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
    """Choose the number of parts into which rows or columns are divided, a multiple of the threads."""
    cdef Py_ssize_t threads = num_threads(), min_units, fair_units, efficient_units
    p.units = (length + PART_ALIGN - 1) // PART_ALIGN
    min_units = <Py_ssize_t>(p.units * (PART_FLOPS / flops)) + 1
    fair_units = (p.units + threads - 1) // threads
    efficient_units = (PART_COLUMNS if p.by_column else PART_ROWS) // PART_ALIGN
    if p.m == 1 or p.n == 1:
        p.parts = max(min(p.units // min_units, threads), <Py_ssize_t>1)
        return
    p.parts = max(p.units // max(min_units, min(fair_units, efficient_units)), <Py_ssize_t>1)
    if p.parts > threads:
        p.parts = min(p.parts // threads, <Py_ssize_t>PARTS_PER_THREAD) * threads


cdef Product part_of(Product* full, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Return the part of `full` that computes rows or columns [start, end) of the result."""
    cdef Product part = full[0]
    cdef Py_ssize_t itemsize = itemsize_of(full.code)
    if full.by_column:
        part.n = end - start
        part.b += start * itemsize * (full.ldb if full.tb else 1)
        part.out += start * itemsize
    else:
        part.m = end - start
        part.a += start * itemsize * (1 if full.ta else full.lda)
        part.out += start * itemsize * full.ldc
    if part.bias != NULL and full.by_column != full.bias_by_row:
        part.bias += start * itemsize
    return part


cdef void product_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Compute parts [begin, end) of the result."""
    cdef Product* full = <Product*>arg
    cdef Py_ssize_t length = full.n if full.by_column else full.m
    cdef Py_ssize_t start = begin * full.units // full.parts * PART_ALIGN
    cdef Py_ssize_t stop = end * full.units // full.parts * PART_ALIGN
    cdef Product part = part_of(full, start, min(stop, length))
    part_product(&part)


cdef void integer_rows(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Product part = part_of(<Product*>arg, begin, end)
    part_product(&part)


cdef struct VectorParts:
    Product* full
    Py_ssize_t length                  # elements of a part
    double* totals                     # a sum of products for each part


cdef void multiply_vector_parts(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef VectorParts* parts = <VectorParts*>arg
    cdef Py_ssize_t index, offset
    cdef Product part
    cdef float narrow_total
    for index in range(begin, end):
        part = parts.full[0]
        offset = index * parts.length
        part.k = min(part.k - offset, parts.length)
        part.a += offset * itemsize_of(part.code)
        part.b += offset * itemsize_of(part.code)
        part.beta = 0
        part.out = <char*>&narrow_total if part.code == F32 else <char*>&parts.totals[index]
        float_product(&part)
        if part.code == F32:
            parts.totals[index] = narrow_total


cdef void vector_product(Product* p) noexcept nogil:
    """Multiply two long vectors: the sums of their parts are added in order, in float64."""
    cdef double[VECTOR_PARTS] totals
    cdef double total = 0
    cdef VectorParts parts
    cdef Py_ssize_t count, i
    parts.full, parts.totals = p, totals
    parts.length = max((p.k + VECTOR_PARTS - 1) // VECTOR_PARTS, <Py_ssize_t>VECTOR_PART)
    count = (p.k + parts.length - 1) // parts.length
    if p.single_thread:
        multiply_vector_parts(&parts, 0, count)
    else:
        parallel_for_worth(count, 2.0 * p.k * VECTOR_COST / PART_FLOPS, multiply_vector_parts, &parts)
    for i in range(count):
        total += totals[i]
    initialize_rows(p)
    if p.code == F32:
        store_number(<float*>p.out, total, 1.0)
    else:
        store_number(<double*>p.out, total, 1.0)
    if p.n_steps:
        apply_epilogue(p)


cdef void run_product(Product* p) noexcept nogil:
    """Compute `p` on as many threads as pay off; m and n are nonzero."""
    cdef Py_ssize_t length
    cdef Product half
    cdef double flops = (2.0 * p.m + READ_FLOPS) * p.n * p.k
    p.by_column = p.blas != NULL and p.n * PART_ROWS >= p.m * PART_COLUMNS
    if p.n == 1 and not p.tb and p.ldb == 1:
        p.tb, p.ldb = True, p.k        # a column is a row: products of vectors are dot products
    p.kernel = choose_kernel(p)
    p.depth = p.k if p.n <= FEW_COLUMNS else DOTS_DEPTH
    length = p.n if p.by_column else p.m
    if p.k == 0:
        initialize_rows(p)
        if p.n_steps:
            apply_epilogue(p)
        return
    if are_vectors(p) and p.blas != NULL and p.k >= 2 * VECTOR_PART:
        vector_product(p)
        return
    if p.blas == NULL:
        flops *= INTEGER_COST
    elif p.n == 1:
        flops *= VECTOR_COST
    if flops > LONG_FLOPS and p.blas != NULL and length > 2 * PART_ALIGN:
        half = part_of(p, 0, length // 2 // PART_ALIGN * PART_ALIGN)
        run_product(&half)
        half = part_of(p, length // 2 // PART_ALIGN * PART_ALIGN, length)
        run_product(&half)
    elif flops < 2 * PART_FLOPS or p.single_thread or inside_loop():
        part_product(p)                # as one part: each part packs its operands again
    elif p.blas == NULL:
        parallel_for_worth(p.m, flops / PART_FLOPS, integer_rows, p)
    else:
        choose_parts(p, length, flops)
        parallel_for_worth(p.parts, flops / PART_FLOPS, product_part, p)


cdef void batch_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Product* full = <Product*>arg
    cdef Product product
    cdef Py_ssize_t i
    for i in range(begin, end):
        product = full[0]
        product.a += i * full.batch_a
        product.b += i * full.batch_b
        product.out += i * full.batch_out
        run_product(&product)


cdef void run_batch(Product* p, Py_ssize_t count) noexcept nogil:
    cdef double flops = 2.0 * p.m * p.n * max(p.k, <Py_ssize_t>1)
    if count < 2 * num_threads() or p.single_thread:
        batch_part(p, 0, count)        # few products: each is divided by itself
    else:
        parallel_for_worth(count, count * flops / PART_FLOPS, batch_part, p)
