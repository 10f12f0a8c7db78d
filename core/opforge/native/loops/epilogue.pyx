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

cdef struct Chosen:                    # what is known of a step before there are elements
    Arithmetic how
    double number                      # the operand's 8 bytes, in the result's type
    int target                         # the tile that takes the result, or -1: where the value lies


cdef void choose(const opforge_step* step, int code, Chosen* chosen) noexcept nogil:
    """Which kernel computes a step."""
    cdef int op = kernel_of[step.kind]
    if not takes_operand[step.kind]:
        choose_unary(&chosen.how, op, code)
    elif step.operand == OPFORGE_OPERAND_NUMBER:
        choose_binary_scalar(&chosen.how, op, code, step.number, &chosen.number)
    else:
        choose_binary(&chosen.how, op, code)


cdef void choose_targets(const opforge_step* steps, int n, Chosen* chosen) noexcept nogil:
    """A value that a later step reads stays where it is: the step that begins with it writes elsewhere."""
    cdef int k, later, tiles = 0
    for k in range(n):
        chosen[k].target = -1
        for later in range(k + 1, n):
            if reads_value(&steps[later], k) and chosen[k].target < 0:
                chosen[k].target = tiles
                tiles += 1


cdef inline bint reads_value(const opforge_step* step, int value) noexcept nogil:
    return step.operand == OPFORGE_OPERAND_VALUE and step.value == value


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


cdef const void* operand_of(
    const opforge_step* step, Chosen* chosen, const Pointer* values, char* tile, Py_ssize_t first, Py_ssize_t n
) noexcept nogil:
    """Where the operand's elements lie for those from `first` on."""
    cdef Py_ssize_t size = chosen.how.size, at
    if step.operand == OPFORGE_OPERAND_FULL:
        return <const char*>step.data + first * size
    if step.operand == OPFORGE_OPERAND_SPREAD:
        at = first % step.period if step.repeat == 1 else -1
        if step.repeat == 1 and step.lanes == 1 and at + n <= step.period:
            return <const char*>step.data + at * size
        if size == 4:
            spread(<uint32_t*>tile, <const uint32_t*>step.data, step, first, n)
        else:
            spread(<uint64_t*>tile, <const uint64_t*>step.data, step, first, n)
        return tile
    if step.operand == OPFORGE_OPERAND_NUMBER:
        if size == 4:
            fill(<uint32_t*>tile, (<uint32_t*>&chosen.number)[0], n)
        else:
            fill(<uint64_t*>tile, (<uint64_t*>&chosen.number)[0], n)
        return tile
    return values[step.value]


cdef void run_tile(
    const opforge_step* steps, int n_steps, Chosen* chosen, char* y, Py_ssize_t first, Py_ssize_t n
) noexcept nogil:
    """All steps on at most a tile; the last one writes to `y`."""
    cdef double[MOST_VALUES][TILE] kept
    cdef double[TILE] tile
    cdef Pointer[MOST_STEPS] values
    cdef char* x = y
    cdef char* to
    cdef const void* b
    cdef int k
    cdef Arithmetic* how
    for k in range(n_steps):
        how = &chosen[k].how
        values[k] = x
        to = y if k == n_steps - 1 else x if chosen[k].target < 0 else <char*>kept[chosen[k].target]
        if not takes_operand[steps[k].kind]:
            how.unary(how.op, x, to, n)
        else:
            b = operand_of(&steps[k], &chosen[k], values, <char*>tile, first, n)
            if steps[k].reverse:
                how.binary(how.op, b, x, to, n)
            else:
                how.binary(how.op, x, b, to, n)
        x = to


cdef void run_epilogue(
    const opforge_step* steps, int n_steps, int code, void* y, Py_ssize_t position, Py_ssize_t count,
) noexcept nogil:
    cdef Chosen[MOST_STEPS] chosen
    cdef Py_ssize_t size = itemsize_of(code), most = 8 * TILE // size, done = 0, n
    cdef int k
    for k in range(n_steps):
        choose(&steps[k], code, &chosen[k])
    choose_targets(steps, n_steps, chosen)
    while done < count:
        n = min(most, count - done)
        run_tile(steps, n_steps, chosen, <char*>y + done * size, position + done, n)
        done += n


cdef Py_ssize_t epilogue_cost(const opforge_step* steps, int n_steps, int code) noexcept nogil:
    cdef Chosen chosen
    cdef Py_ssize_t total = 0
    cdef int k
    for k in range(n_steps):
        choose(&steps[k], code, &chosen)
        total += chosen.how.cost
    return total
