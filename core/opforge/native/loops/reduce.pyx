"""Reductions, divided into units of rows or columns that run in parallel and are then combined.

Dimensions are merged into alternating kept and reduced groups. A unit is a tile of results and a chunk of
the elements reduced to them. Units depend on the shape only and chunks are combined in order, so results
do not depend on the number of threads.
"""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport INFINITY, NAN, isfinite, sqrt
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc

from opforge.native.loops.casting cimport run_cast
from opforge.native.memory.types cimport BOOL, F32, F64, I64, U8, is_float, is_half, itemsize_of
from opforge.native.threads.parallel cimport parallel_for

from opforge.base.errors import OutOfMemoryError
from opforge.native.kernels import isa as _isa

reduce_kernels = <opforge_reduce_table*>PyCapsule_GetPointer(
    _isa.table("reduce"), b"opforge.kernels.reduce"
)

# A unit of 65536 float32 elements takes 4 us from a cache and 10 us from memory; a unit of TILE columns reads
# 4 KB of each row; passing a unit to a thread takes 1 us. More than TARGET_UNITS units do not improve the
# balance and leave more parts to combine.
cdef enum:
    TILE = 1024                        # maximum results per unit
    WORK = 65536                       # minimum elements reduced by a unit
    TARGET_UNITS = 128                 # approximate number of units of a large reduction
    NDIM = 64

cdef struct Plan:
    opforge_reduce_fn fn
    int op, code, finish, out_code
    const char* x
    const char* other
    const double* shift
    char* out
    Py_ssize_t item, out_item
    Py_ssize_t width, width_step       # innermost kept group: length and stride in elements
    Py_ssize_t run, run_step           # innermost reduced group: length and stride
    Py_ssize_t lane_step               # stride passed to the kernel
    int kept_ndim, reduced_ndim        # the outer groups
    Py_ssize_t[NDIM] kept_dims
    Py_ssize_t[NDIM] kept_steps
    Py_ssize_t[NDIM] reduced_dims
    Py_ssize_t[NDIM] reduced_steps
    Py_ssize_t outer, tile, tiles      # outer kept indices; results per unit; tiles per `width`
    Py_ssize_t piece, pieces, runs     # pieces of a reduced group; runs = outer reduced indices * pieces
    Py_ssize_t chunk, chunks           # runs per unit
    Py_ssize_t count                   # elements reduced to one result
    Cell* partial                      # one tile per unit if chunks > 1


cdef bint is_integral(int code) noexcept nogil:
    return not is_float(code)


cdef void reset(Cell* cells, Py_ssize_t n, int op, int code) noexcept nogil:
    cdef Cell neutral
    cdef Py_ssize_t i
    if is_integral(code):
        neutral.i = 0
        if op == REDUCE_prod or op == REDUCE_nanprod:
            neutral.i = 1
        elif op == REDUCE_max:
            neutral.i = min_value(code)
        elif op == REDUCE_min:
            neutral.i = -1 - min_value(code) if code != U8 and code != BOOL else 255
    else:
        neutral.f = 0.0
        if op == REDUCE_prod or op == REDUCE_nanprod:
            neutral.f = 1.0
        elif op == REDUCE_max:
            neutral.f = -INFINITY
        elif op == REDUCE_min:
            neutral.f = INFINITY
    for i in range(n):
        cells[i] = neutral


cdef int64_t min_value(int code) noexcept nogil:
    if code == U8 or code == BOOL:
        return 0
    return -(<int64_t>1 << (8 * itemsize_of(code) - 2)) * 2


cdef void join_real(double* into, const double* part, Py_ssize_t n, int op) noexcept nogil:
    cdef Py_ssize_t i
    if op == REDUCE_prod or op == REDUCE_nanprod:
        for i in range(n):
            into[i] *= part[i]
    elif op == REDUCE_max:
        for i in range(n):
            into[i] = part[i] if (part[i] > into[i]) | (part[i] != part[i]) else into[i]
    elif op == REDUCE_min:
        for i in range(n):
            into[i] = part[i] if (part[i] < into[i]) | (part[i] != part[i]) else into[i]
    else:
        for i in range(n):
            into[i] += part[i]


cdef void join_integral(int64_t* into, const int64_t* part, Py_ssize_t n, int op) noexcept nogil:
    """Combine integer cells; products and sums use unsigned arithmetic, where overflow wraps."""
    cdef Py_ssize_t i
    if op == REDUCE_prod or op == REDUCE_nanprod:
        for i in range(n):
            into[i] = <int64_t>(<uint64_t>into[i] * <uint64_t>part[i])
    elif op == REDUCE_max:
        for i in range(n):
            into[i] = max(into[i], part[i])
    elif op == REDUCE_min:
        for i in range(n):
            into[i] = min(into[i], part[i])
    else:
        for i in range(n):
            into[i] = <int64_t>(<uint64_t>into[i] + <uint64_t>part[i])


cdef void join(Cell* into, const Cell* part, Py_ssize_t n, int op, int code) noexcept nogil:
    if is_integral(code):
        join_integral(<int64_t*>into, <const int64_t*>part, n, op)
    else:
        join_real(<double*>into, <const double*>part, n, op)


cdef void store_cells(
    Cell* cells, Py_ssize_t n, int code, int finish, Py_ssize_t count, void* out, int out_code
) noexcept nogil:
    cdef Py_ssize_t i
    cdef bint integral = is_integral(code)
    if finish == FINISH_MEAN:
        for i in range(n):
            if not integral:
                cells[i].f = cells[i].f / count if count else NAN
            elif count:
                cells[i].i //= count
    elif finish == FINISH_SQRT:
        for i in range(n):
            if integral:
                cells[i].i = <int64_t>sqrt(<double>cells[i].i)
            else:
                cells[i].f = sqrt(cells[i].f)
    run_cast(I64 if integral else F64, out_code, cells, out, n)


cdef void store_results(Plan* p, Cell* cells, Py_ssize_t first, Py_ssize_t n) noexcept nogil:
    """Finish `n` results and write them, starting at index `first`."""
    store_cells(cells, n, p.code, p.finish, p.count, p.out + first * p.out_item, p.out_code)


cdef Py_ssize_t offset_of(Py_ssize_t index, int ndim, const Py_ssize_t* dims, const Py_ssize_t* steps) noexcept nogil:
    cdef Py_ssize_t offset = 0
    cdef int axis
    for axis in range(ndim - 1, -1, -1):
        offset += index % dims[axis] * steps[axis]
        index //= dims[axis]
    return offset


cdef void fold_unit(
    Plan* p, int op, Py_ssize_t base, Py_ssize_t first, Py_ssize_t width, Py_ssize_t chunk, Cell* cells
) noexcept nogil:
    """Reduce one chunk to `width` cells; the tile starts at element `base` and at result `first`."""
    cdef Py_ssize_t run, element, start, n
    cdef const double* shift = NULL if p.shift == NULL else p.shift + first
    reset(cells, width, p.op, p.code)
    for run in range(chunk * p.chunk, min((chunk + 1) * p.chunk, p.runs)):
        start = run % p.pieces * p.piece
        n = min(p.run - start, p.piece)
        element = base + start * p.run_step
        element += offset_of(run // p.pieces, p.reduced_ndim, p.reduced_dims, p.reduced_steps)
        p.fn(
            op, p.x + element * p.item, NULL if p.other == NULL else p.other + element * p.item,
            shift, width, p.lane_step, n, cells,
        )


cdef bint overflowed(const Cell* cells, Py_ssize_t width, int op, int code) noexcept nogil:
    cdef Py_ssize_t j
    cdef bint finite = True
    if (code != F32 and not is_half(code)) or op not in (REDUCE_sum, REDUCE_sumabs, REDUCE_nansum):
        return False
    for j in range(width):
        finite &= isfinite(cells[j].f) != 0
    return not finite


cdef void run_units(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Run units [begin, end): unit = (outer index * tiles + tile) * chunks + chunk."""
    cdef Plan* p = <Plan*>arg
    cdef Cell[TILE] local
    cdef Cell* cells
    cdef Py_ssize_t unit, tile_number, tile, width, base, first
    for unit in range(begin, end):
        tile_number = unit // p.chunks
        tile = tile_number % p.tiles * p.tile
        width = min(p.width - tile, p.tile)
        base = offset_of(tile_number // p.tiles, p.kept_ndim, p.kept_dims, p.kept_steps) + tile * p.width_step
        first = tile_number // p.tiles * p.width + tile
        cells = &local[0]
        if p.chunks > 1:
            cells = p.partial + unit * p.tile
        fold_unit(p, p.op, base, first, width, unit % p.chunks, cells)
        if overflowed(cells, width, p.op, p.code):
            fold_unit(p, p.op | REDUCE_WIDE, base, first, width, unit % p.chunks, cells)
        if p.chunks == 1:
            store_results(p, cells, first, width)


cdef void combine_chunks(Plan* p) noexcept nogil:
    cdef Py_ssize_t tile_number, tile, width, chunk
    cdef Cell* cells
    for tile_number in range(p.outer * p.tiles):
        tile = tile_number % p.tiles * p.tile
        width = min(p.width - tile, p.tile)
        cells = p.partial + tile_number * p.chunks * p.tile
        for chunk in range(1, p.chunks):
            join(cells, cells + chunk * p.tile, width, p.op, p.code)
        store_results(p, cells, tile_number // p.tiles * p.width + tile, width)


cdef bint group_dimensions(Plan* p, const Py_ssize_t* dims, const char* reduced, int ndim) noexcept nogil:
    """Merge the dimensions into groups; return whether the last group is kept."""
    cdef Py_ssize_t[NDIM] sizes
    cdef Py_ssize_t[NDIM] steps
    cdef char[NDIM] kinds
    cdef int groups = 0, axis, last_kept = -1, last_reduced = -1
    cdef Py_ssize_t step = 1
    for axis in range(ndim):
        if dims[axis] == 1:
            continue
        if groups and kinds[groups - 1] == reduced[axis]:
            sizes[groups - 1] *= dims[axis]
        else:
            sizes[groups] = dims[axis]
            kinds[groups] = reduced[axis]
            groups += 1
    for axis in range(groups - 1, -1, -1):
        steps[axis] = step
        step *= sizes[axis]
        if kinds[axis] and last_reduced < 0:
            last_reduced = axis
        elif not kinds[axis] and last_kept < 0:
            last_kept = axis
    p.width, p.width_step, p.run, p.run_step = 1, 0, 1, 1
    p.kept_ndim = p.reduced_ndim = 0
    p.outer = p.count = 1
    for axis in range(groups):
        if kinds[axis]:
            p.count *= sizes[axis]
        if axis == last_kept:
            p.width, p.width_step = sizes[axis], steps[axis]
        elif axis == last_reduced:
            p.run, p.run_step = sizes[axis], steps[axis]
        elif kinds[axis]:
            p.reduced_dims[p.reduced_ndim] = sizes[axis]
            p.reduced_steps[p.reduced_ndim] = steps[axis]
            p.reduced_ndim += 1
        else:
            p.kept_dims[p.kept_ndim] = sizes[axis]
            p.kept_steps[p.kept_ndim] = steps[axis]
            p.kept_ndim += 1
            p.outer *= sizes[axis]
    return last_kept > last_reduced


cdef void choose_chunks(Plan* p, bint by_column) noexcept nogil:
    """Choose tiles, pieces and chunks depending on the shape only."""
    cdef int axis
    cdef Py_ssize_t outer_runs = 1, work = WORK
    for axis in range(p.reduced_ndim):
        outer_runs *= p.reduced_dims[axis]
    work = max(work, p.outer * p.width * outer_runs * p.run // TARGET_UNITS)
    if by_column:
        p.lane_step = p.run_step
        p.tile = min(p.width, <Py_ssize_t>TILE)
        p.piece = max(<Py_ssize_t>64, work // p.tile)
    else:
        p.lane_step = p.width_step
        p.piece = work
        p.tile = max(<Py_ssize_t>1, min(min(p.width, <Py_ssize_t>TILE), WORK // min(p.run, p.piece)))
    p.tiles = (p.width + p.tile - 1) // p.tile
    p.piece = min(p.piece, p.run)
    p.pieces = (p.run + p.piece - 1) // p.piece
    p.runs = outer_runs * p.pieces
    p.chunk = max(<Py_ssize_t>1, work // (p.piece * p.tile))
    p.chunks = (p.runs + p.chunk - 1) // p.chunk


cdef void fill_neutral(Plan* p, Py_ssize_t results) noexcept nogil:
    """Write the result of reducing no elements."""
    cdef Cell[TILE] cells
    cdef Py_ssize_t first = 0, n
    while first < results:
        n = min(results - first, <Py_ssize_t>TILE)
        reset(cells, n, p.op, p.code)
        store_results(p, cells, first, n)
        first += n


cdef int run_reduction(
    int op, int code, const void* x, const void* other, const double* shift,
    const Py_ssize_t* dims, const char* reduced, int ndim, int finish, void* out, int out_code,
) except -1 nogil:
    cdef Plan p
    cdef bint by_column
    cdef Py_ssize_t results = 1, work
    cdef int axis
    p.op, p.code, p.finish, p.out_code = op, code, finish, out_code
    p.x, p.other, p.shift, p.out = <const char*>x, <const char*>other, shift, <char*>out
    p.item, p.out_item = itemsize_of(code), itemsize_of(out_code)
    p.partial = NULL
    for axis in range(ndim):
        if not reduced[axis]:
            results *= dims[axis]
    if results == 0:
        return 0
    by_column = group_dimensions(&p, dims, reduced, ndim)
    if p.count == 0:
        fill_neutral(&p, results)
        return 0
    choose_chunks(&p, by_column)
    p.fn = reduce_kernels.cols[code] if by_column else reduce_kernels.rows[code]
    if p.chunks > 1:
        p.partial = <Cell*>malloc(p.outer * p.tiles * p.chunks * p.tile * sizeof(Cell))
        if p.partial == NULL:
            with gil:
                raise OutOfMemoryError("cannot allocate memory for the partial results of a reduction")
    work = min(p.chunk, p.runs) * p.piece * p.tile
    parallel_for(p.outer * p.tiles * p.chunks, WORK // 2 // work + 1, run_units, &p)
    if p.chunks > 1:
        combine_chunks(&p)
        free(p.partial)
    return 0
