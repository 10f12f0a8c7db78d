"""Matrix products that plugins ask for: checked, and cut for threads as the core's own.

float16 goes through float32, one product of a batch after the other.
"""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy, memset
from opforge.abi cimport (
    OPFORGE_BAD_DTYPE, OPFORGE_BAD_SHAPE, OPFORGE_ERROR, OPFORGE_NO_MEMORY, opforge_call, opforge_gemm,
)

from opforge.native.loops.blas cimport Blas, blas, loaded_blas
from opforge.native.memory.buffer cimport lend_block, take_back
from opforge.native.loops.casting cimport run_cast
from opforge.native.abi.frame cimport Frame, failed, set_error
from opforge.native.loops.product cimport MAX_SIDE, Product, run_batch
from opforge.native.memory.types cimport BOOL, F16, F32, F64, N_DTYPES, itemsize_of

cdef int64_t MOST_STEP = <int64_t>1 << 56       # elements: in bytes still within 64 bits


cdef const char* fault_of(const opforge_gemm* g) noexcept nogil:
    """What is wrong with the sizes; NULL: nothing. Steps are filled in."""
    cdef int64_t a_length = g.m if g.transpose_a else g.k
    cdef int64_t b_length = g.k if g.transpose_b else g.n
    if min(min(g.m, g.n), min(g.k, g.count)) < 0:
        return "gemm: m, n, k or count is negative"
    if max(max(g.m, g.n), max(g.k, max(g.a_row, max(g.b_row, g.c_row)))) > MAX_SIDE:
        return "gemm: a side or a row is beyond BLAS's 32-bit sizes"
    if g.a_row < a_length or g.b_row < b_length or g.c_row < g.n:
        return "gemm: a_row, b_row or c_row is less than the elements of a row; 0 stands for as many"
    if max(abs(g.a_next), max(abs(g.b_next), abs(g.c_next))) > MOST_STEP:
        return "gemm: a_next, b_next or c_next is beyond any memory"
    if g.bias != NULL and g.bias_axis != 0 and g.bias_axis != 1:
        return "gemm: bias_axis must be 0, an element for each row, or 1, one for each column"
    return NULL


cdef const char* epilogue_fault(opforge_call* call, const opforge_gemm* g) noexcept nogil:
    """Why the call's epilogue cannot follow; NULL: it can."""
    cdef Py_ssize_t item = itemsize_of(g.dtype)
    cdef int64_t size = call.outputs[0].byte_size // item, rest
    cdef int64_t offset = <const char*>g.c - <const char*>call.outputs[0].data
    if g.dtype != call.outputs[0].dtype or g.c_next < 0:
        return "gemm: a product of another type than the output, or backwards, has no epilogue"
    rest = size - offset // item - (g.m - 1) * g.c_row - g.n
    if offset < 0 or offset // item > size or rest < 0 or (g.c_next and g.count - 1 > rest // g.c_next):
        return "gemm: a product with an epilogue must lie in the output"
    return NULL


cdef int64_t abs(int64_t value) noexcept nogil:
    return -value if value < 0 else value


cdef Blas* needed_blas(opforge_call* call, int32_t* status) noexcept nogil:
    """OpenBLAS, loaded now if it was not; NULL: `status` and the call's text are why it cannot be."""
    cdef Blas* found = loaded_blas()
    if found == NULL:
        with gil:
            found = load_for(call, status)
    return found


cdef Blas* load_for(opforge_call* call, int32_t* status) noexcept:
    cdef bytes text
    try:
        return blas()
    except Exception as error:         # the plugin's function returns the status, which raises it
        status[0] = OPFORGE_NO_MEMORY if isinstance(error, MemoryError) else OPFORGE_ERROR
        text = f"gemm: {error}".encode()
        set_error(call, text)
        return NULL


cdef void describe(const opforge_gemm* g, Product* p) noexcept nogil:
    """The product in the core's terms; matrices are put in by the caller."""
    memset(p, 0, sizeof(Product))
    p.code, p.m, p.n, p.k = g.dtype, g.m, g.n, g.k
    p.ta, p.tb = g.transpose_a != 0, g.transpose_b != 0
    p.lda, p.ldb, p.ldc = max(g.a_row, 1), max(g.b_row, 1), max(g.c_row, 1)
    p.alpha, p.beta = g.alpha, g.beta
    p.bias_by_row, p.alone = g.bias_axis == 0, g.threads == 1


cdef int32_t host_gemm(opforge_call* call, const opforge_gemm* product) noexcept nogil:
    cdef opforge_gemm g
    cdef Product p
    cdef const char* fault
    cdef Py_ssize_t item
    cdef int32_t status = 0
    memset(&g, 0, sizeof(g))
    memcpy(&g, product, min(<size_t>product.head.struct_size, sizeof(g)))
    if not 0 <= g.dtype < N_DTYPES or g.dtype == BOOL:
        return failed(call, OPFORGE_BAD_DTYPE, "gemm: dtype must be a number type of opforge")
    g.a_row = g.a_row or (g.m if g.transpose_a else g.k)
    g.b_row = g.b_row or (g.k if g.transpose_b else g.n)
    g.c_row = g.c_row or g.n
    fault = fault_of(&g)
    if fault != NULL:
        return failed(call, OPFORGE_BAD_SHAPE, fault)
    if g.m == 0 or g.n == 0 or g.count == 0:
        return 0
    describe(&g, &p)
    if g.dtype == F32 or g.dtype == F64 or g.dtype == F16:
        p.blas = needed_blas(call, &status)
        if p.blas == NULL:
            return status
    if g.dtype == F16:
        return half_products(call, &g, &p)
    item = itemsize_of(g.dtype)
    p.a, p.b, p.out = <const char*>g.a, <const char*>g.b, <char*>g.c
    p.bias = <const char*>g.bias
    p.batch_a, p.batch_b, p.batch_out = g.a_next * item, g.b_next * item, g.c_next * item
    if g.epilogue and call.n_epilogue:
        fault = epilogue_fault(call, &g)
        if fault != NULL:
            return failed(call, OPFORGE_BAD_SHAPE, fault)
        p.steps, p.n_steps, p.result = call.epilogue, call.n_epilogue, <const char*>call.outputs[0].data
    run_batch(&p, g.count)
    return 0


cdef void convert_rows(
    int source, int target, const char* x, Py_ssize_t x_row, char* y, Py_ssize_t y_row,
    Py_ssize_t rows, Py_ssize_t n,
) noexcept nogil:
    """Convert a matrix whose rows are `x_row` elements apart to one whose rows are `y_row` apart."""
    cdef Py_ssize_t i
    for i in range(rows):
        run_cast(source, target, x + i * x_row * itemsize_of(source), y + i * y_row * itemsize_of(target), n)


cdef int32_t half_products(opforge_call* call, const opforge_gemm* g, Product* p) noexcept nogil:
    """Products of float16, in float32."""
    cdef int size_class
    cdef Py_ssize_t a_rows = g.k if g.transpose_a else g.m, a_length = g.m if g.transpose_a else g.k
    cdef Py_ssize_t b_rows = g.n if g.transpose_b else g.k, b_length = g.k if g.transpose_b else g.n
    cdef Py_ssize_t bias_length = 0 if g.bias == NULL else (g.n if g.bias_axis else g.m)
    cdef double total = 4.0 * (<double>g.m * g.k + <double>g.k * g.n + <double>g.m * g.n + bias_length)
    cdef float* memory = NULL
    cdef float* c
    cdef char* target
    cdef int64_t i
    if total < MOST_STEP:
        memory = <float*>lend_block(<Py_ssize_t>total, &size_class)
    if memory == NULL:
        (<Frame*>call).lacking = <int64_t>min(total, MOST_STEP)
        return failed(call, OPFORGE_NO_MEMORY, "gemm: there is no memory for float32 copies")
    c = memory + g.m * g.k + g.k * g.n
    p.code, p.lda, p.ldb, p.ldc = F32, max(a_length, 1), max(b_length, 1), g.n
    if g.bias != NULL:
        run_cast(F16, F32, g.bias, c + g.m * g.n, bias_length)
        p.bias = <const char*>(c + g.m * g.n)
    for i in range(g.count):
        p.a, p.b, p.out = <const char*>memory, <const char*>(memory + g.m * g.k), <char*>c
        target = <char*>g.c + 2 * i * g.c_next
        convert_rows(F16, F32, <const char*>g.a + 2 * i * g.a_next, g.a_row, <char*>p.a, a_length, a_rows, a_length)
        convert_rows(F16, F32, <const char*>g.b + 2 * i * g.b_next, g.b_row, <char*>p.b, b_length, b_rows, b_length)
        p.beta = g.beta
        if g.beta != 0:
            convert_rows(F16, F32, target, g.c_row, <char*>c, g.n, g.m, g.n)
        run_batch(p, 1)
        convert_rows(F32, F16, <const char*>c, g.n, target, g.c_row, g.m, g.n)
    take_back(<char*>memory, size_class)
    return 0
