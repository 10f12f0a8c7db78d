"""The steps of an epilogue on a run of elements, tile by tile, by the kernels of single operators.

So a result is the same as that of the operators one after the other.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy
from opforge.abi cimport (
    OPFORGE_OPERAND_FULL, OPFORGE_OPERAND_NUMBER, OPFORGE_OPERAND_SPREAD, OPFORGE_OPERAND_VALUE,
    opforge_step,
)

from opforge.native.loops.choice cimport (
    Arithmetic, choose_binary, choose_binary_scalar, choose_unary,
)
from opforge.native.loops.elementwise cimport BINARY_CODES, UNARY_CODES
from opforge.native.memory.types cimport itemsize_of

#: Names of the steps, in the order of their numbers in abi.h.
EPILOGUES = (
    "add", "subtract", "multiply", "divide", "maximum", "minimum",
    "relu", "sigmoid", "tanh", "softrelu", "softsign", "erf", "exp", "expm1", "abs", "negative",
    "square", "sqrt",
)
#: How many of them take an operand.
N_BINARY = EPILOGUES.index("relu")

cdef enum:
    KINDS = 18
    TILE = 256                         # words of 8 bytes: a few tiles stay in the first-level cache

ctypedef fused Unit:
    uint32_t
    uint64_t

ctypedef char* Pointer

cdef bint[KINDS] takes_operand
cdef int[KINDS] kernel_of
for _kind, _name in enumerate(EPILOGUES):
    takes_operand[_kind] = _kind < N_BINARY
    kernel_of[_kind] = (BINARY_CODES if _kind < N_BINARY else UNARY_CODES)[_name]

cdef struct Program:                   # steps, and what is known of them before there are elements
    const opforge_step* steps
    int n_steps
    Arithmetic[MOST_STEPS] how
    int[MOST_STEPS] kept               # the tile that takes a step's result, or -1: where the value lies
    double[MOST_STEPS][TILE] operands  # repeated numbers, and vectors for the tile that is computed
    Py_ssize_t[MOST_STEPS] repeated    # the element of a vector that all of its tile is, or -1
    double[MOST_VALUES][TILE] values


cdef inline bint reads_value(const opforge_step* step, int value) noexcept nogil:
    return step.operand == OPFORGE_OPERAND_VALUE and step.value == value


cdef int choose(const opforge_step* step, int code, Arithmetic* how, double* number) noexcept nogil:
    """Which kernel computes a step, and the number that it takes in the result's type."""
    cdef int op = kernel_of[step.kind]
    if not takes_operand[step.kind]:
        return choose_unary(how, op, code)
    if step.operand == OPFORGE_OPERAND_NUMBER:
        return choose_binary_scalar(how, op, code, step.number, number)
    return choose_binary(how, op, code)


cdef void prepare(Program* p, int code, Py_ssize_t most) noexcept nogil:
    cdef int k, later, n_kept = 0
    cdef double number = 0
    for k in range(p.n_steps):
        choose(&p.steps[k], code, &p.how[k], &number)
        p.repeated[k] = -1
        if p.steps[k].operand == OPFORGE_OPERAND_NUMBER:
            if itemsize_of(code) == 4:
                fill(<uint32_t*>p.operands[k], (<uint32_t*>&number)[0], most)
            else:
                fill(<uint64_t*>p.operands[k], (<uint64_t*>&number)[0], most)
        # A value that a later step reads stays: the step that begins with it writes elsewhere.
        p.kept[k] = -1
        for later in range(k + 1, p.n_steps):
            if reads_value(&p.steps[later], k) and p.kept[k] < 0:
                p.kept[k] = n_kept
                n_kept += 1


cdef inline void fill(Unit* tile, Unit value, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        tile[i] = value


cdef void spread(
    Unit* tile, const Unit* source, const opforge_step* step, Py_ssize_t first, Py_ssize_t n
) noexcept nogil:
    """tile[j] = source[i // repeat % period * lanes + i % lanes] with i = first + j."""
    cdef Py_ssize_t done = 0, i, at, run, lane
    while done < n:
        i = first + done
        at = i // step.repeat % step.period * step.lanes
        if step.lanes > 1:
            lane = i % step.lanes
            run = min(<Py_ssize_t>step.lanes - lane, n - done)
            memcpy(tile + done, source + at + lane, run * sizeof(Unit))
        elif step.repeat == 1:
            run = min(<Py_ssize_t>step.period - at, n - done)
            memcpy(tile + done, source + at, run * sizeof(Unit))
        else:
            run = min(<Py_ssize_t>(step.repeat - i % step.repeat), n - done)
            fill(tile + done, source[at], run)
        done += run


cdef const void* vector_of(Program* p, int k, Py_ssize_t first, Py_ssize_t n) noexcept nogil:
    """Where a vector lies that is spread over the elements from `first` on."""
    cdef const opforge_step* step = &p.steps[k]
    cdef Py_ssize_t size = p.how[k].size, at = first // step.repeat % step.period, count = n
    cdef bint is_one = step.lanes == 1 and first % step.repeat + n <= step.repeat
    if step.repeat == 1 and at + n <= step.period:
        return <const char*>step.data + at * size
    if is_one and p.repeated[k] == at:
        return p.operands[k]
    p.repeated[k] = at if is_one else -1
    if is_one:                         # for longer tiles too
        first, count = at * step.repeat, min(<Py_ssize_t>step.repeat, TILE * 8 // size)
    if size == 4:
        spread(<uint32_t*>p.operands[k], <const uint32_t*>step.data, step, first, count)
    else:
        spread(<uint64_t*>p.operands[k], <const uint64_t*>step.data, step, first, count)
    return p.operands[k]


cdef const void* operand_of(
    Program* p, int k, const Pointer* values, Py_ssize_t first, Py_ssize_t n
) noexcept nogil:
    """Where a step's operand lies for the elements from `first` on."""
    cdef const opforge_step* step = &p.steps[k]
    if step.operand == OPFORGE_OPERAND_VALUE:
        return values[step.value]
    if step.operand == OPFORGE_OPERAND_FULL:
        return <const char*>step.data + first * p.how[k].size
    if step.operand == OPFORGE_OPERAND_SPREAD:
        return vector_of(p, k, first, n)
    return p.operands[k]


cdef void run_tile(Program* p, char* y, Py_ssize_t first, Py_ssize_t n) noexcept nogil:
    """All steps on at most a tile; the last one writes to `y`."""
    cdef Pointer[MOST_STEPS] values
    cdef Pointer x = y, to
    cdef const void* b
    cdef Arithmetic* how
    cdef int k
    for k in range(p.n_steps):
        how = &p.how[k]
        values[k] = x
        to = y if k == p.n_steps - 1 else x if p.kept[k] < 0 else <Pointer>p.values[p.kept[k]]
        if not takes_operand[p.steps[k].kind]:
            how.unary(how.op, x, to, n)
        else:
            b = operand_of(p, k, values, first, n)
            if p.steps[k].reverse:
                how.binary(how.op, b, x, to, n)
            else:
                how.binary(how.op, x, b, to, n)
        x = to


cdef void run_epilogue(
    const opforge_step* steps, int n_steps, int code, void* y, Py_ssize_t position, Py_ssize_t rows,
    Py_ssize_t count, Py_ssize_t step,
) noexcept nogil:
    cdef Program p
    cdef Py_ssize_t size = itemsize_of(code), most = 8 * TILE // size, done, n, _
    cdef char* at = <char*>y
    p.steps, p.n_steps = steps, n_steps
    prepare(&p, code, min(most, count))
    for _ in range(rows):
        done = 0
        while done < count:
            n = min(most, count - done)
            run_tile(&p, at + done * size, position + done, n)
            done += n
        at += step * size
        position += step
