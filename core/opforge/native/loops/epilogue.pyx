"""Application of epilogue steps to a range of elements, tile by tile, with the elementwise kernels.

The result is therefore identical to that of the separate operators, except that 16-bit floats are rounded once, after
the last step.
"""

from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy
from opforge.abi cimport (
    OPFORGE_OPERAND_FULL, OPFORGE_OPERAND_NUMBER, OPFORGE_OPERAND_SPREAD, OPFORGE_OPERAND_VALUE,
    opforge_step,
)

from opforge.native.loops.choice cimport (
    Arithmetic, choose_binary, choose_binary_scalar, choose_unary, converters,
)
from opforge.native.loops.elementwise cimport BINARY_CODES, UNARY_CODES
from opforge.native.memory.types cimport F32, is_half, itemsize_of

#: Names of the steps, in the order of their codes in abi.h.
EPILOGUES = (
    "add", "subtract", "multiply", "divide", "maximum", "minimum",
    "relu", "sigmoid", "tanh", "softrelu", "softsign", "erf", "exp", "expm1", "abs", "negative",
    "square", "sqrt",
)
#: Number of steps with an operand, which come first.
N_BINARY = EPILOGUES.index("relu")

cdef enum:
    KINDS = 18
    TILE = 256                         # 8-byte words; a few tiles fit the L1 cache

ctypedef fused Unit:
    uint16_t
    uint32_t
    uint64_t

ctypedef char* Pointer

cdef bint[KINDS] takes_operand
cdef int[KINDS] operation_of
for _kind, _name in enumerate(EPILOGUES):
    takes_operand[_kind] = _kind < N_BINARY
    operation_of[_kind] = (BINARY_CODES if _kind < N_BINARY else UNARY_CODES)[_name]

cdef struct Program:                   # steps and their state for all tiles
    const opforge_step* steps
    int n_steps
    int code, wide                     # stored type, and that of the steps
    Arithmetic[MAX_STEPS] kernels
    int[MAX_STEPS] value_tile          # tile that receives a step's result, or -1 to compute in place
    double[MAX_STEPS][TILE] operands   # repeated numbers, and vectors expanded for the current tile
    Py_ssize_t[MAX_STEPS] repeated     # index of the vector element that fills the tile, or -1
    double[MAX_VALUES][TILE] values
    double[TILE] result                # of 16-bit floats, before it is rounded


cdef inline bint reads_value(const opforge_step* step, int value) noexcept nogil:
    return step.operand == OPFORGE_OPERAND_VALUE and step.value == value


cdef int choose(const opforge_step* step, int code, Arithmetic* kernel, double* number) noexcept nogil:
    """Choose the kernel of a step and convert its number, if any, to the result's type."""
    cdef int op = operation_of[step.kind]
    if not takes_operand[step.kind]:
        return choose_unary(kernel, op, code)
    if step.operand == OPFORGE_OPERAND_NUMBER:
        return choose_binary_scalar(kernel, op, code, step.number, number)
    return choose_binary(kernel, op, code)


cdef void prepare(Program* p, int code, Py_ssize_t tile_size) noexcept nogil:
    cdef int k, later, n_value_tiles = 0
    cdef double number = 0
    for k in range(p.n_steps):
        choose(&p.steps[k], code, &p.kernels[k], &number)
        p.repeated[k] = -1
        if p.steps[k].operand == OPFORGE_OPERAND_NUMBER:
            if itemsize_of(code) == 4:
                fill(<uint32_t*>p.operands[k], (<uint32_t*>&number)[0], tile_size)
            else:
                fill(<uint64_t*>p.operands[k], (<uint64_t*>&number)[0], tile_size)
        # A value that a later step reads is preserved: the step that consumes it writes to another tile.
        p.value_tile[k] = -1
        for later in range(k + 1, p.n_steps):
            if reads_value(&p.steps[later], k) and p.value_tile[k] < 0:
                p.value_tile[k] = n_value_tiles
                n_value_tiles += 1


cdef inline void fill(Unit* tile, Unit value, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        tile[i] = value


cdef void expand_vector(
    Unit* tile, const Unit* source, const opforge_step* step, Py_ssize_t first, Py_ssize_t n
) noexcept nogil:
    """tile[j] = source[i // repeat % period * lanes + i % lanes] with i = first + j."""
    cdef Py_ssize_t done = 0, i, index, run, lane
    while done < n:
        i = first + done
        index = i // step.repeat % step.period * step.lanes
        if step.lanes > 1:
            lane = i % step.lanes
            run = min(<Py_ssize_t>step.lanes - lane, n - done)
            memcpy(tile + done, source + index + lane, run * sizeof(Unit))
        elif step.repeat == 1:
            run = min(<Py_ssize_t>step.period - index, n - done)
            memcpy(tile + done, source + index, run * sizeof(Unit))
        else:
            run = min(<Py_ssize_t>(step.repeat - i % step.repeat), n - done)
            fill(tile + done, source[index], run)
        done += run


cdef const void* widened(Program* p, int k, const void* source, Py_ssize_t n) noexcept nogil:
    """Return elements of an operand in the type of the steps."""
    if p.code == p.wide:
        return source
    converters.cast[p.code][p.wide](source, p.operands[k], n)
    return p.operands[k]


cdef const void* vector_of(Program* p, int k, Py_ssize_t first, Py_ssize_t n) noexcept nogil:
    """Return the values of an expanded vector for `n` elements from `first`."""
    cdef uint16_t[4 * TILE] narrow
    cdef const opforge_step* step = &p.steps[k]
    cdef Py_ssize_t size = p.kernels[k].size, index = first // step.repeat % step.period, count = n
    cdef bint is_constant = step.lanes == 1 and first % step.repeat + n <= step.repeat
    if step.repeat == 1 and index + n <= step.period:
        p.repeated[k] = -1
        return widened(p, k, <const char*>step.data + index * itemsize_of(p.code), n)
    if is_constant and p.repeated[k] == index:
        return p.operands[k]
    p.repeated[k] = index if is_constant else -1
    if is_constant:                    # fill for longer tiles as well
        first, count = index * step.repeat, min(<Py_ssize_t>step.repeat, TILE * 8 // size)
    if p.code != p.wide:
        expand_vector(narrow, <const uint16_t*>step.data, step, first, count)
        return widened(p, k, narrow, count)
    if size == 4:
        expand_vector(<uint32_t*>p.operands[k], <const uint32_t*>step.data, step, first, count)
    else:
        expand_vector(<uint64_t*>p.operands[k], <const uint64_t*>step.data, step, first, count)
    return p.operands[k]


cdef const void* operand_of(
    Program* p, int k, const Pointer* values, Py_ssize_t first, Py_ssize_t n
) noexcept nogil:
    """Return a step's operand for `n` elements from `first`."""
    cdef const opforge_step* step = &p.steps[k]
    if step.operand == OPFORGE_OPERAND_VALUE:
        return values[step.value]
    if step.operand == OPFORGE_OPERAND_FULL:
        return widened(p, k, <const char*>step.data + first * itemsize_of(p.code), n)
    if step.operand == OPFORGE_OPERAND_SPREAD:
        return vector_of(p, k, first, n)
    return p.operands[k]


cdef void run_steps(Program* p, char* y, Py_ssize_t first, Py_ssize_t n) noexcept nogil:
    """Apply all steps to at most one tile; the last step writes to `y`."""
    cdef Pointer[MAX_STEPS] values
    cdef Pointer x = y, target
    cdef const void* b
    cdef Arithmetic* kernel
    cdef int k
    for k in range(p.n_steps):
        kernel = &p.kernels[k]
        values[k] = x
        target = y if k == p.n_steps - 1 else x if p.value_tile[k] < 0 else <Pointer>p.values[p.value_tile[k]]
        if not takes_operand[p.steps[k].kind]:
            kernel.unary(kernel.op, x, target, n)
        else:
            b = operand_of(p, k, values, first, n)
            if p.steps[k].reverse:
                kernel.binary(kernel.op, b, x, target, n)
            else:
                kernel.binary(kernel.op, x, b, target, n)
        x = target


cdef void run_tile(Program* p, char* y, Py_ssize_t first, Py_ssize_t n) noexcept nogil:
    """Apply all steps to at most one tile of the result."""
    if p.code == p.wide:
        run_steps(p, y, first, n)
        return
    converters.cast[p.code][p.wide](y, p.result, n)
    run_steps(p, <char*>p.result, first, n)
    converters.cast[p.wide][p.code](p.result, y, n)


cdef void run_epilogue(
    const opforge_step* steps, int n_steps, int code, void* y, Py_ssize_t position, Py_ssize_t rows,
    Py_ssize_t count, Py_ssize_t step,
) noexcept nogil:
    cdef Program p
    cdef int wide = F32 if is_half(code) else code
    cdef Py_ssize_t size = itemsize_of(code), tile_size = 8 * TILE // itemsize_of(wide), done, n, _
    cdef char* row = <char*>y
    if n_steps == 0:
        return
    p.steps, p.n_steps, p.code, p.wide = steps, n_steps, code, wide
    prepare(&p, wide, min(tile_size, count))
    for _ in range(rows):
        done = 0
        while done < count:
            n = min(tile_size, count - done)
            run_tile(&p, row + done * size, position + done, n)
            done += n
        row += step * size
        position += step
