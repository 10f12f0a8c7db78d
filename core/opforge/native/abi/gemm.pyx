"""Matrix products for plugins, checked and divided among threads like the core's own.

16-bit floats that no kernel multiplies are computed in float32, one product of a batch after the other.
"""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy, memset
from opforge.abi cimport (
    OPFORGE_BAD_DTYPE, OPFORGE_BAD_SHAPE, opforge_call, opforge_gemm, opforge_item_size,
)

from opforge.native.memory.buffer cimport lend_block, take_back
from opforge.native.loops.casting cimport run_cast
from opforge.native.abi.dtypes cimport code_of
from opforge.native.abi.frame cimport failed, out_of_memory
from opforge.native.abi.routines cimport ensure_blas
from opforge.native.loops.epilogue cimport run_epilogue
from opforge.native.loops.product cimport MAX_SIDE, Product, has_brain_kernel, run_batch
from opforge.native.memory.types cimport BOOL, F32, is_float, is_half, itemsize_of

cdef int64_t MAX_STEP = <int64_t>1 << 56       # elements; in bytes it still fits 64 bits


cdef const char* gemm_error(const opforge_gemm* g) noexcept nogil:
    """Return the error in the sizes and strides, or NULL. The strides have been filled in."""
    cdef int64_t a_length = g.m if g.transpose_a else g.k
    cdef int64_t b_length = g.k if g.transpose_b else g.n
    if min(min(g.m, g.n), min(g.k, g.count)) < 0:
        return "gemm: m, n, k or count is negative"
    if max(max(g.m, g.n), max(g.k, max(g.a_row, max(g.b_row, g.c_row)))) > MAX_SIDE:
        return "gemm: m, n, k or a row stride exceeds the 32-bit sizes of BLAS"
    if g.a_row < a_length or g.b_row < b_length or g.c_row < g.n:
        return "gemm: a_row, b_row or c_row is less than the length of a row; pass 0 for dense rows"
    if max(abs(g.a_next), max(abs(g.b_next), abs(g.c_next))) > MAX_STEP:
        return "gemm: a_next, b_next or c_next exceeds the address space"
    if g.bias != NULL and g.bias_axis != 0 and g.bias_axis != 1:
        return "gemm: bias_axis must be 0 (one element per row) or 1 (one element per column)"
    return NULL


cdef const char* epilogue_error(opforge_call* call, const opforge_gemm* g) noexcept nogil:
    """Return why the call's epilogue cannot be applied, or NULL if it can."""
    cdef int64_t item = opforge_item_size(g.dtype)
    cdef int64_t size = call.outputs[0].byte_size // item, elements_left
    cdef int64_t offset = <const char*>g.c - <const char*>call.outputs[0].data
    if g.dtype != call.outputs[0].dtype or g.c_next < 0:
        return "gemm: a product with an epilogue must have the output's dtype and a c_next of 0 or more"
    elements_left = size - offset // item - (g.m - 1) * g.c_row - g.n
    if offset < 0 or offset // item > size or elements_left < 0 or (g.c_next and g.count - 1 > elements_left // g.c_next):
        return "gemm: a product with an epilogue must be written to the output"
    return NULL


cdef int64_t abs(int64_t value) noexcept nogil:
    return -value if value < 0 else value


cdef void describe(const opforge_gemm* g, int code, Product* p) noexcept nogil:
    """Translate the product, except the matrices, to the core's description."""
    memset(p, 0, sizeof(Product))
    p.code, p.m, p.n, p.k = code, g.m, g.n, g.k
    p.ta, p.tb = g.transpose_a != 0, g.transpose_b != 0
    p.lda, p.ldb, p.ldc = max(g.a_row, 1), max(g.b_row, 1), max(g.c_row, 1)
    p.alpha, p.beta = g.alpha, g.beta
    p.bias = <const char*>g.bias
    p.bias_by_row, p.single_thread = g.bias_axis == 0, g.threads == 1


cdef int32_t host_gemm(opforge_call* call, const opforge_gemm* product) noexcept nogil:
    cdef opforge_gemm g
    cdef Product p
    cdef const char* error
    cdef Py_ssize_t item
    cdef int code
    cdef int32_t status = 0
    memset(&g, 0, sizeof(g))
    memcpy(&g, product, min(<size_t>product.head.struct_size, sizeof(g)))
    code = code_of(g.dtype)
    if code < 0 or code == BOOL:
        return failed(call, OPFORGE_BAD_DTYPE, "gemm: dtype must be a numeric type of opforge")
    g.a_row = g.a_row or (g.m if g.transpose_a else g.k)
    g.b_row = g.b_row or (g.k if g.transpose_b else g.n)
    g.c_row = g.c_row or g.n
    error = gemm_error(&g)
    if error != NULL:
        return failed(call, OPFORGE_BAD_SHAPE, error)
    if g.m == 0 or g.n == 0 or g.count == 0:
        return 0
    describe(&g, code, &p)
    if is_float(code):
        p.blas = ensure_blas(call, &status, "gemm")
        if p.blas == NULL:
            return status
    if g.epilogue and call.n_epilogue:
        error = epilogue_error(call, &g)
        if error != NULL:
            return failed(call, OPFORGE_BAD_SHAPE, error)
        p.steps, p.n_steps, p.result = call.epilogue, call.n_epilogue, <const char*>call.outputs[0].data
    if is_half(code) and not has_brain_kernel(&p):
        return half_products(call, &g, &p, code)
    item = itemsize_of(code)
    p.a, p.b, p.out = <const char*>g.a, <const char*>g.b, <char*>g.c
    p.batch_a, p.batch_b, p.batch_out = g.a_next * item, g.b_next * item, g.c_next * item
    run_batch(&p, g.count)
    return 0


cdef void convert_rows(
    int source, int target, const char* x, Py_ssize_t x_row, char* y, Py_ssize_t y_row,
    Py_ssize_t rows, Py_ssize_t n,
) noexcept nogil:
    """Convert a matrix with a row stride of `x_row` elements to one with a stride of `y_row`."""
    cdef Py_ssize_t i
    for i in range(rows):
        run_cast(source, target, x + i * x_row * itemsize_of(source), y + i * y_row * itemsize_of(target), n)


cdef int32_t half_products(opforge_call* call, const opforge_gemm* g, Product* p, int code) noexcept nogil:
    """Compute products of 16-bit floats in float32; the epilogue follows when they are rounded."""
    cdef int size_class, n_steps = p.n_steps
    cdef Py_ssize_t a_rows = g.k if g.transpose_a else g.m, a_length = g.m if g.transpose_a else g.k
    cdef Py_ssize_t b_rows = g.n if g.transpose_b else g.k, b_length = g.k if g.transpose_b else g.n
    cdef Py_ssize_t bias_length = 0 if g.bias == NULL else (g.n if g.bias_axis else g.m)
    cdef double total = 4.0 * (<double>g.m * g.k + <double>g.k * g.n + <double>g.m * g.n + bias_length)
    cdef float* memory = NULL
    cdef float* c
    cdef char* target
    cdef int64_t i
    if total < MAX_STEP:
        memory = <float*>lend_block(<Py_ssize_t>total, &size_class)
    if memory == NULL:
        return out_of_memory(call, <int64_t>min(total, MAX_STEP), "gemm: out of memory for float32 copies")
    c = memory + g.m * g.k + g.k * g.n
    p.n_steps = 0
    p.code, p.lda, p.ldb, p.ldc = F32, max(a_length, 1), max(b_length, 1), g.n
    if g.bias != NULL:
        run_cast(code, F32, g.bias, c + g.m * g.n, bias_length)
        p.bias = <const char*>(c + g.m * g.n)
    for i in range(g.count):
        p.a, p.b, p.out = <const char*>memory, <const char*>(memory + g.m * g.k), <char*>c
        target = <char*>g.c + 2 * i * g.c_next
        convert_rows(code, F32, <const char*>g.a + 2 * i * g.a_next, g.a_row, <char*>p.a, a_length, a_rows, a_length)
        convert_rows(code, F32, <const char*>g.b + 2 * i * g.b_next, g.b_row, <char*>p.b, b_length, b_rows, b_length)
        p.beta = g.beta
        if g.beta != 0:
            convert_rows(code, F32, target, g.c_row, <char*>c, g.n, g.m, g.n)
        run_batch(p, 1)
        convert_rows(F32, code, <const char*>c, g.n, target, g.c_row, g.m, g.n)
        run_epilogue(p.steps, n_steps, code, target, (target - p.result) // itemsize_of(code), g.m, g.n, g.c_row)
    take_back(<char*>memory, size_class)
    return 0
