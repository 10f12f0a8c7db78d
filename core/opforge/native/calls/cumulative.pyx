"""Cumulative sums along an axis.

Elements are summed in float64, or in int64 with wraparound, one tile after another: a tile is converted, summed
in the L1 cache and converted to the type of the result. If the array has few rows, their parts are summed in
parallel, after a first pass that computes the total of each part.
"""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.string cimport memcpy

from opforge.native.array.array cimport Array, new_array, wait_read, wait_write
from opforge.native.array.expect cimport expect_axis, expect_shape
from opforge.native.array.output cimport req_code, settle, target_of
from opforge.native.calls.extents cimport Extents, split_shape
from opforge.native.calls.normalize cimport cast_to
from opforge.native.kernels.cumulative cimport opforge_cumulative_table
from opforge.native.loops.choice cimport converters
from opforge.native.loops.reduce cimport Cell, REDUCE_WIDE, REDUCE_sum, join, reduce_kernels, reset
from opforge.native.memory.types cimport F64, I64, REQ_NULL, is_float, itemsize_of
from opforge.native.threads.parallel cimport parallel_for

from opforge.native.kernels import isa as _isa

__all__ = ["cumsum"]

cdef opforge_cumulative_table* kernels = <opforge_cumulative_table*>PyCapsule_GetPointer(
    _isa.table("cumulative"), b"opforge.kernels.cumulative"
)

cdef enum:
    COLUMNS = 256                      # maximum number of columns of a tile
    TILE = 1024                        # elements of a tile, 8 KB
    FEW_UNITS = 4                      # fewer units are divided along the axis
    PART = 32768                       # elements of such a part: 25 us
    WORK = 8192                        # minimum elements per thread: 5 us

cdef struct Sums:
    const char* x
    char* y
    int x_code, y_code, code           # of the elements, the results and the sums
    bint from_end
    Py_ssize_t n, inner                # length of the axis, and distance of its elements
    Py_ssize_t tile, tiles             # columns of a unit, and units of these next to each other
    Py_ssize_t part, parts             # elements of the axis in a unit, and units of these in the axis
    Cell* before                       # (outer, parts, inner): totals of the parts, then sums before them

cdef struct Unit:
    Py_ssize_t offset                  # of the first element
    Py_ssize_t rows, width             # elements of the axis and columns
    Cell* before


cdef Unit unit_at(Sums* s, Py_ssize_t index) noexcept nogil:
    """Return the unit ``(outer * parts + part) * tiles + tile``."""
    cdef Py_ssize_t part = index // s.tiles, column = index % s.tiles * s.tile
    cdef Py_ssize_t start = part % s.parts * s.part
    cdef Unit unit
    unit.offset = (part // s.parts * s.n + start) * s.inner + column
    unit.rows = min(s.n - start, s.part)
    unit.width = min(s.inner - column, s.tile)
    unit.before = s.before + part * s.inner + column
    return unit


cdef void move(
    int from_code, int to_code, const char* x, Py_ssize_t x_step, char* y, Py_ssize_t y_step,
    Py_ssize_t rows, Py_ssize_t width,
) noexcept nogil:
    """Convert rows that are `x_step` and `y_step` elements apart."""
    cdef Py_ssize_t row
    if x_step == y_step:
        width, rows = width * rows, 1
    for row in range(rows):
        converters.cast[from_code][to_code](
            x + row * x_step * itemsize_of(from_code), y + row * y_step * itemsize_of(to_code), width
        )


cdef void sum_unit(Sums* s, Unit* unit) noexcept nogil:
    """Sum tile by tile: rows of elements after, or from the end before, the last sums of the previous tile."""
    cdef Cell[TILE + COLUMNS] tile
    cdef Cell[COLUMNS] last
    cdef Py_ssize_t width = unit.width, line = width * sizeof(Cell), done = 0, rows, offset
    cdef Py_ssize_t first, before, after
    memcpy(last, unit.before, line)
    while done < unit.rows:
        rows = min(TILE // width, unit.rows - done)
        if s.from_end:
            offset = unit.offset + (unit.rows - done - rows) * s.inner
            first, before, after = 0, rows * width, 0
        else:
            offset = unit.offset + done * s.inner
            first, before, after = width, 0, rows * width
        memcpy(&tile[before], last, line)
        move(s.x_code, s.code, s.x + offset * itemsize_of(s.x_code), s.inner, <char*>&tile[first], width, rows, width)
        if s.code == F64:
            kernels.f64(&tile[0].f, (rows + 1) * width, width, s.from_end)
        else:
            kernels.i64(&tile[0].i, (rows + 1) * width, width, s.from_end)
        move(s.code, s.y_code, <char*>&tile[first], width, s.y + offset * itemsize_of(s.y_code), s.inner, rows, width)
        memcpy(last, &tile[after], line)
        done += rows


cdef void sum_units(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Sums* s = <Sums*>arg
    cdef Py_ssize_t index
    cdef Unit unit
    for index in range(begin, end):
        unit = unit_at(s, index)
        sum_unit(s, &unit)


cdef void total_units(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Compute the totals of units."""
    cdef Sums* s = <Sums*>arg
    cdef int op = REDUCE_sum | REDUCE_WIDE if s.code == F64 else REDUCE_sum
    cdef Py_ssize_t index
    cdef const char* x
    cdef Unit unit
    for index in range(begin, end):
        unit = unit_at(s, index)
        x = s.x + unit.offset * itemsize_of(s.x_code)
        reset(unit.before, unit.width, REDUCE_sum, s.code)
        if s.inner == 1:
            reduce_kernels.rows[s.x_code](op, x, NULL, NULL, 1, unit.rows, unit.rows, unit.before)
        else:
            reduce_kernels.cols[s.x_code](op, x, NULL, NULL, unit.width, s.inner, unit.rows, unit.before)


cdef void add_totals(Sums* s, Py_ssize_t outer) noexcept nogil:
    """Replace the totals of parts by the sums of all parts before them."""
    cdef Py_ssize_t o, i, j, part
    cdef Cell* before
    cdef Cell sum_before, total
    for o in range(outer):
        for j in range(s.inner):
            reset(&sum_before, 1, REDUCE_sum, s.code)
            for i in range(s.parts):
                part = s.parts - 1 - i if s.from_end else i
                before = s.before + (o * s.parts + part) * s.inner + j
                total = before[0]
                before[0] = sum_before
                join(&sum_before, &total, 1, REDUCE_sum, s.code)


def cumsum(Array x not None, Array out not None, axis=None, bint from_end=False, req="write"):
    """Compute the sums of the elements up to each position along an axis.

    Parameters
    ----------
    x : Array
    out : Array of any dtype
        Shape of `x`, or ``(x.size,)`` without an axis. Elements are summed in float64 if the dtype is
        floating-point, else in int64 with wraparound, and rounded to the dtype.
    axis : int, optional
        None: over the flattened array.
    from_end : bool
        Whether to compute the sums of the elements from each position to the end.
    req : {"write", "inplace", "add", "null"}
    """
    cdef int code = req_code(req), ax = 0 if axis is None else expect_axis("cumsum", axis, x.ndim)
    cdef tuple shape = (x.size,) if axis is None else x.shape
    cdef Array target, before
    cdef Py_ssize_t units
    cdef Extents e
    cdef Sums s
    expect_shape("cumsum", "out", out, shape)
    wait_read(x)
    wait_write(out)
    if code == REQ_NULL or out.size == 0:
        return
    s.code = F64 if is_float(out.code) else I64
    if is_float(x.code) != is_float(out.code):
        x = cast_to(x, s.code)
    target = target_of(out, code, (x,))
    split_shape(shape, ax, &e)
    s.x, s.y, s.x_code, s.y_code, s.from_end = x.data, target.data, x.code, out.code, from_end
    s.n, s.inner = e.n, e.inner
    s.tile = min(e.inner, <Py_ssize_t>COLUMNS)
    s.tiles = (e.inner + s.tile - 1) // s.tile
    s.part = e.n if e.outer * s.tiles >= FEW_UNITS else min(e.n, PART // s.tile)
    s.parts = (e.n + s.part - 1) // s.part
    before = new_array((e.outer * s.parts * e.inner,), s.code, x.context)
    s.before = <Cell*>before.data
    units = e.outer * s.parts * s.tiles
    with nogil:
        if s.parts > 1:
            parallel_for(units, WORK // (s.part * s.tile) + 1, total_units, &s)
            add_totals(&s, e.outer)
        else:
            reset(s.before, before.size, REDUCE_sum, s.code)
        parallel_for(units, WORK // (s.part * s.tile) + 1, sum_units, &s)
    settle(out, target, code)
