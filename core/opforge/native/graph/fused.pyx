"""`FusedStep`: several elementwise operators in one pass, tile by tile in the L1 cache.

A short program of kernel calls runs on each tile, so intermediate values never leave the cache. As in
single operators, results too large for the caches are stored with non-temporal writes. bfloat16 is
computed in float32: tiles of inputs are converted when they are loaded, and those of outputs when they are stored.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from opforge.native.array.array cimport Array
from opforge.native.loops.choice cimport (
    GRAIN, choose_binary, choose_binary_scalar, choose_unary, converters, specialize_scalar,
)
from opforge.native.loops.elementwise cimport (
    BINARY_CODES, UNARY_CODES, binary_gives_mask, unary_gives_mask,
)
from opforge.native.loops.stores cimport exceeds_cache, fence, line_of, stream
from opforge.native.memory.types cimport BF16, F32, F64, I32, I64, itemsize_of
from opforge.native.threads.parallel cimport parallel_for

from opforge.base.errors import OpforgeError, OutOfMemoryError, ShapeError

cdef enum:
    TILE_BYTES = 2048

ctypedef fused Unit:
    uint16_t
    uint32_t
    uint64_t

MOST_REGISTERS = MAX_REGISTERS
MOST_OPERANDS = MAX_OPERANDS


cdef inline void repeat_row(
    Unit* to, const Unit* row, Py_ssize_t lanes, Py_ssize_t first, Py_ssize_t count
) noexcept nogil:
    """to[j] = row[(first + j) % lanes], for first < lanes."""
    cdef Py_ssize_t begin = min(lanes - first, count), done, run
    memcpy(to, row + first, begin * sizeof(Unit))
    done = begin + min(lanes, count - begin)
    memcpy(to + begin, row, (done - begin) * sizeof(Unit))
    while done < count:
        run = min(done - begin, count - done)  # whole rows, except at the end
        memcpy(to + done, to + begin, run * sizeof(Unit))
        done += run


cdef inline void spread_rows(
    Unit* tile, const Unit* source, Py_ssize_t first, Py_ssize_t count, Py_ssize_t repeat,
    Py_ssize_t period, Py_ssize_t lanes,
) noexcept nogil:
    """tile[j] = source[(first + j) // repeat % period * lanes + (first + j) % lanes]."""
    cdef Py_ssize_t done = 0, at = first // repeat, inside = first - at * repeat, run
    at %= period
    while done < count:
        run = min(repeat - inside, count - done)
        repeat_row(tile + done, source + at * lanes, lanes, inside % lanes, run)
        at = at + 1 if at + 1 < period else 0
        done += run
        inside = 0


cdef inline void spread_elements(
    Unit* tile, const Unit* source, Py_ssize_t first, Py_ssize_t count, Py_ssize_t repeat,
    Py_ssize_t period,
) noexcept nogil:
    """The same for rows of one element: tile[j] = source[(first + j) // repeat % period]."""
    cdef Py_ssize_t done = 0, at = first // repeat, run = (at + 1) * repeat - first, i
    cdef Unit value
    at %= period
    while done < count:
        if repeat == 1:
            run = min(period - at, count - done)
            memcpy(tile + done, source + at, run * sizeof(Unit))
            at = 0
        else:
            run = min(run, count - done)
            value = source[at]
            for i in range(run):
                tile[done + i] = value
            at = at + 1 if at + 1 < period else 0
        done += run
        run = repeat


cdef inline void spread(
    Unit* tile, const Unit* source, Py_ssize_t first, Py_ssize_t count, Py_ssize_t repeat,
    Py_ssize_t period, Py_ssize_t lanes,
) noexcept nogil:
    if lanes == 1:
        spread_elements(tile, source, first, count, repeat, period)
    else:
        spread_rows(tile, source, first, count, repeat, period, lanes)


cdef void spread_tile(Job* job, int k, Tile* tile, Py_ssize_t first, Py_ssize_t count) noexcept nogil:
    """Expand a broadcast input into its register, unless that holds the same elements already."""
    cdef Py_ssize_t repeat = job.repeat[k], period = job.period[k], lanes = job.lanes[k]
    cdef Py_ssize_t row = first // repeat, inside = first - row * repeat, held = -1
    cdef char* to = tile.at[k]
    cdef uint16_t[TILE_BYTES] narrow  # more than the elements of a tile
    if inside + count <= repeat:
        held = row % period * lanes + inside % lanes
        if held == tile.held[k] and count <= tile.count[k]:
            return
    tile.held[k], tile.count[k] = held, count
    if job.stored != job.wide:
        spread(narrow, <uint16_t*>job.arrays[k], first, count, repeat, period, lanes)
        converters.cast[job.stored][job.wide](narrow, to, count)
    elif job.size == 4:
        spread(<uint32_t*>to, <uint32_t*>job.arrays[k], first, count, repeat, period, lanes)
    else:
        spread(<uint64_t*>to, <uint64_t*>job.arrays[k], first, count, repeat, period, lanes)


cdef void place_registers(Job* job, char* scratch, Tile* tile) noexcept nogil:
    cdef int k
    for k in range(job.n_registers):
        tile.at[k] = scratch + k * job.tile
    for k in range(job.n_constants):
        tile.at[job.n_registers + k] = <char*>job.constants + k * job.tile
    for k in range(job.n_operands):
        tile.held[k] = -1


cdef void run_tile(Job* job, Tile* tile, Py_ssize_t first, Py_ssize_t count) noexcept nogil:
    cdef int k
    cdef Call* call
    cdef Pointer* at = tile.at
    for k in range(job.n_registers + job.n_constants, job.n_operands):
        if job.spread[k] >= 0:
            at[k] = at[job.spread[k]]
            spread_tile(job, k, tile, first, count)
        elif job.buffer[k] >= 0:
            at[k] = at[job.buffer[k]]
            if k < job.first_output:
                converters.cast[job.stored][job.wide](job.arrays[k] + first * job.stored_size, at[k], count)
        else:
            at[k] = job.arrays[k] + first * job.size
    for k in range(job.n_calls):
        call = &job.calls[k]
        if call.binary:
            call.how.binary(call.how.op, at[call.a], at[call.b], at[call.y], count)
        else:
            call.how.unary(call.how.op, at[call.a], at[call.y], count)
    for k in range(job.first_output, job.n_operands):
        if job.buffer[k] < 0:
            continue
        if job.stored != job.wide:
            converters.cast[job.wide][job.stored](at[k], job.arrays[k] + first * job.stored_size, count)
        else:
            stream(at[k], job.arrays[k] + first * job.size, count * job.size)


cdef void part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Process tiles [begin, end)."""
    cdef Job* job = <Job*>arg
    cdef char[SCRATCH + LINE] space
    cdef Tile tile
    cdef Py_ssize_t size = job.tile // job.size, first = begin * size, last = min(end * size, job.n), count
    place_registers(job, line_of(space), &tile)
    while first < last:
        count = min(size, last - first)
        run_tile(job, &tile, first, count)
        first += count
    if job.streams:
        fence()


cdef class FusedStep(Step):
    """Elementwise operators in one pass over arrays of one type and size, or broadcast to that size.

    Operands are numbered: registers first, then constants, the step's inputs, and its outputs.

    Parameters
    ----------
    code : int
        Element type: float32, float64, bfloat16, int32 or int64.
    calls : list of (operator, a, b, y)
        Kernel names as in `elementwise`, prefixed with "unary:" or "binary:", and operands.
    n_registers : int
    constants : list of float
    n_inputs, n_outputs : int
    waiting : list of int
        For each output, a register that can buffer a tile for non-temporal writes or for conversion.
    spreads : dict of int to (register, repeat, period, lanes)
        Broadcast inputs, of `period` rows of `lanes` elements, which are expanded into their own
        registers: element ``i`` of the result uses row ``i // repeat % period``, element
        ``i % lanes``. `repeat` is a multiple of `lanes`.
    loading : list of int, optional
        For bfloat16: the register of each input for its converted tile, -1 for those that are spread.
    """

    def __cinit__(self):
        self.job.calls = NULL
        self.job.constants = NULL

    def __init__(
        self, int code, list calls, int n_registers, list constants, int n_inputs, int n_outputs,
        list waiting, dict spreads, list loading=None,
    ):
        cdef int operands = n_registers + len(constants) + n_inputs + n_outputs, k
        if code not in (F32, F64, I32, I64, BF16):
            raise ValueError(f"FusedStep: no kernels of element type {code}")
        if not 0 <= n_registers <= MAX_REGISTERS or operands > MAX_OPERANDS or self.job.calls != NULL:
            raise ValueError(f"FusedStep: {n_registers} registers and {operands} operands are too many")
        if len(waiting) != n_outputs or any(not 0 <= item < n_registers for item in waiting):
            raise ValueError(f"FusedStep: {waiting} are not registers for {n_outputs} outputs")
        self.code, self.n_inputs, self.n_outputs = code, n_inputs, n_outputs
        self.loading, self.waiting = list(loading or ()), list(waiting)
        if len(self.loading) != (n_inputs if code == BF16 else 0) or any(
            not (0 <= item < n_registers or k in spreads) for k, item in enumerate(self.loading)
        ):
            raise ValueError(f"FusedStep: {loading} are not registers for {n_inputs} inputs")
        self.job.stored, self.job.wide = code, F32 if code == BF16 else code
        for k in range(MAX_OPERANDS):
            self.job.spread[k] = -1
        for position, (register, repeat, period, lanes) in spreads.items():
            if not (0 <= position < n_inputs and 0 <= register < n_registers):
                raise ValueError(f"FusedStep: input {position} cannot be spread in register {register}")
            self.put_spread(n_registers + <int>len(constants) + <int>position, register, repeat, period, lanes)
        self.job.size, self.job.tile = itemsize_of(self.job.wide), self.choose_tile(n_registers)
        self.job.stored_size = itemsize_of(code)
        self.job.n_registers, self.job.n_constants = n_registers, <int>len(constants)
        self.job.n_operands, self.job.first_output = operands, operands - n_outputs
        self.job.calls = <Call*>PyMem_Calloc(len(calls), sizeof(Call))
        self.job.constants = <char*>PyMem_Calloc(max(len(constants), 1), self.job.tile)
        if self.job.calls == NULL or self.job.constants == NULL:
            raise OutOfMemoryError("FusedStep")
        for k, value in enumerate(constants):
            self.put_constant(k, value)
        for k, (name, a, b, y) in enumerate(calls):
            self.put_call(k, name, a, b, y)
        self.job.n_calls = <int>len(calls)

    cdef Py_ssize_t choose_tile(self, int n_registers) noexcept:
        return TILE_BYTES

    cdef int put_spread(
        self, int k, int register, Py_ssize_t repeat, Py_ssize_t period, Py_ssize_t lanes
    ) except -1:
        if min(repeat, period, lanes) < 1 or repeat % lanes != 0:
            raise ValueError(
                f"FusedStep: {period} rows of {lanes} elements cannot be spread over {repeat} elements each"
            )
        self.job.spread[k], self.job.repeat[k] = register, repeat
        self.job.period[k], self.job.lanes[k] = period, lanes
        return 0

    cdef int put_call(self, int k, str name, int a, int b, int y) except -1:
        cdef Call* call = &self.job.calls[k]
        kind, _, kernel = name.partition(":")
        call.binary = kind == "binary"
        table = BINARY_CODES if call.binary else UNARY_CODES
        if kernel not in table:
            raise ValueError(f"FusedStep: no kernel is named {name!r}")
        if call.binary:
            choose_binary(&call.how, table[kernel], self.job.wide)
        else:
            choose_unary(&call.how, table[kernel], self.job.wide)
        for operand in (a, b, y):
            if not 0 <= operand < self.job.n_operands:
                raise ValueError(f"FusedStep: operand {operand} of {self.job.n_operands}")
        if call.binary and 0 <= b - self.job.n_registers < self.job.n_constants:
            specialize_scalar(&call.how, self.job.constants + (b - self.job.n_registers) * self.job.tile)
        call.a, call.b, call.y = a, b, y
        self.note_mask(call)
        self.cost += call.how.cost
        return 0

    cdef void note_mask(self, Call* call) noexcept:
        cdef unsigned long long one = 1
        cdef bint is_mask
        if call.binary:
            is_mask = binary_gives_mask(call.how.op)
        else:
            is_mask = unary_gives_mask(call.how.op, self.masks >> call.a & 1)
        self.masks = (self.masks & ~(one << call.y)) | (<unsigned long long>is_mask << call.y)

    cdef int put_constant(self, int k, value) except -1:
        """Fill a tile with a number, rounded like a scalar operand."""
        cdef Arithmetic how
        cdef double scalar = 0
        cdef char* tile = <char*>self.job.constants + k * self.job.tile
        cdef Py_ssize_t i
        choose_binary_scalar(&how, 0, self.code, value, &scalar)
        for i in range(self.job.tile // self.job.size):
            memcpy(tile + i * self.job.size, &scalar, self.job.size)
        return 0

    def __dealloc__(self):
        PyMem_Free(self.job.calls)
        PyMem_Free(<void*>self.job.constants)

    cdef int run(self, bint train) except -1:
        cdef Job job
        cdef Py_ssize_t tile, grain
        self.settle(&job, (<Array>self.outputs[0]).size, self.n_outputs)
        tile = job.tile // job.size
        grain = GRAIN // max(self.cost * tile, 1) + 1
        with nogil:
            parallel_for((job.n + tile - 1) // tile, grain, part, &job)
        return 0

    cdef int settle(self, Job* job, Py_ssize_t n, int n_outputs) except -1:
        cdef int k, base = self.job.n_registers + self.job.n_constants
        cdef Array item
        job[0] = self.job
        job.n = n
        for k in range(job.n_operands):
            job.buffer[k] = -1
        if job.size == 0:
            raise OpforgeError("FusedStep is not initialized")
        for k in range(len(self.loading)):
            job.buffer[base + k] = self.loading[k]
        if len(self.inputs) != self.n_inputs or len(self.outputs) != n_outputs:
            raise OpforgeError(
                f"node '{self.label}': {len(self.inputs)} inputs and {len(self.outputs)} outputs, "
                f"{self.n_inputs} and {n_outputs} expected"
            )
        for k in range(self.n_inputs + self.n_outputs):
            item = <Array>(self.inputs[k] if k < self.n_inputs else self.outputs[k - self.n_inputs])
            if item.code != self.code or not self.fits(base + k, item.size, n):
                raise ShapeError(
                    f"node '{self.label}': an array has {item.size} elements of type code {item.code}; "
                    f"expected {n} of type code {self.code}"
                )
            job.arrays[base + k] = item.data
            if k >= self.n_inputs:
                item.is_mask = self.masks >> (base + k) & 1
        if job.stored != job.wide:
            for k in range(self.n_outputs):
                job.buffer[job.first_output + k] = self.waiting[k]
        elif exceeds_cache(3 * n * job.size):
            for k in range(self.n_outputs):
                if self.is_apart(job.arrays[job.first_output + k], job, base):
                    job.buffer[job.first_output + k] = self.waiting[k]
                    job.streams = True
        return 0

    cdef bint fits(self, int k, Py_ssize_t size, Py_ssize_t n) noexcept:
        """Return whether an operand has the size of the result or is broadcast to it."""
        if self.job.spread[k] < 0:
            return size == n
        return (
            size == self.job.period[k] * self.job.lanes[k]
            and n % (self.job.period[k] * self.job.repeat[k]) == 0
        )

    cdef bint is_apart(self, char* data, Job* job, int base) noexcept:
        """Return whether an output is not also an input, so that its lines are not cached."""
        cdef int k
        for k in range(self.n_inputs):
            if job.arrays[base + k] == data:
                return False
        return True
