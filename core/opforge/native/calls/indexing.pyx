"""Gathering and scattering by index arrays: take, pick, one_hot, gather_nd, scatter_nd, gradients.

Index arrays may have any dtype, as MXNet's are often float32; they are read as int64. Scattering
adds in the order of the indices whatever the number of threads, so results repeat.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from opforge.native.array.array cimport Array, new_array, wait_read, wait_write
from opforge.native.array.expect cimport expect_axis, expect_code, expect_shape, without_axis
from opforge.native.array.output cimport req_code, settle, target_of
from opforge.native.loops.casting cimport run_cast
from opforge.native.loops.elementwise cimport BINARY_add, run_binary
from opforge.native.memory.types cimport F32, F64, I64, REQ_NULL, itemsize_of
from opforge.native.threads.parallel cimport parallel_for

from opforge.base.errors import AttributeValueError, IndexRangeError, ShapeError

__all__ = [
    "gather_nd", "one_hot", "pick", "pick_grad", "scatter_nd", "take", "take_grad",
]

cdef enum:
    GRAIN_BYTES = 65536                # bytes moved that are worth a thread
    SHORT = 32                         # elements of a row that are not worth a call

ctypedef fused Float:
    float
    double

ctypedef fused Item:                   # slices of one element, whatever it means
    uint32_t
    uint64_t

cdef struct Slots:                     # which slice of `table` each index names
    const int64_t* at
    char* table
    char* rows
    Py_ssize_t count, outer, length, inner
    Py_ssize_t row                     # bytes of a slice
    int code


cdef Array whole_indices(str function, Array indices, str mode, Py_ssize_t length):
    """Read `indices` as int64 in [0, length)."""
    cdef Array result = new_array(indices.shape, I64, indices.context)
    cdef int64_t* at = <int64_t*>result.data
    cdef Py_ssize_t i
    if mode not in ("clip", "wrap", "raise"):
        raise AttributeValueError(
            f"{function}: mode {mode!r} is unknown; expected 'clip', 'raise' or 'wrap'"
        )
    if indices.size and length == 0:
        raise ShapeError(f"{function}: cannot index an axis of length 0")
    wait_read(indices)
    run_cast(indices.code, I64, indices.data, result.data, indices.size)
    if mode == "clip":
        for i in range(indices.size):
            at[i] = 0 if at[i] < 0 else (length - 1 if at[i] >= length else at[i])
    elif mode == "wrap":
        for i in range(indices.size):
            at[i] %= length
            if at[i] < 0:
                at[i] += length
    else:
        for i in range(indices.size):
            if not 0 <= at[i] < length:
                raise IndexRangeError(
                    f"{function}: index {at[i]} at place {i} is not in [0, {length})"
                )
    return result


cdef void gather(
    Item* rows, const Item* table, const int64_t* at, Py_ssize_t count
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        rows[i] = table[at[i]]


cdef void take_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Copy slices [begin, end) of the result, a run of those with one `outer` at a time."""
    cdef Slots* s = <Slots*>arg
    cdef Py_ssize_t outer = begin // s.count, first = begin % s.count, count, i
    cdef char* rows = s.rows + begin * s.row
    cdef const char* table
    while begin < end:
        count = min(s.count - first, end - begin)
        table = s.table + outer * s.length * s.row
        if s.row == sizeof(uint32_t):
            gather(<uint32_t*>rows, <const uint32_t*>table, s.at + first, count)
        elif s.row == sizeof(uint64_t):
            gather(<uint64_t*>rows, <const uint64_t*>table, s.at + first, count)
        else:
            for i in range(count):
                memcpy(rows + i * s.row, table + s.at[first + i] * s.row, s.row)
        rows += count * s.row
        begin += count
        outer, first = outer + 1, 0


cdef int describe(Slots* s, str function, Array table, Array rows, Array indices, int axis) except -1:
    expect_code(function, "out", rows, table.code)
    expect_shape(
        function, "out", rows, table.shape[:axis] + indices.shape + table.shape[axis + 1:]
    )
    s.outer, s.inner, s.length = 1, 1, table.shape[axis]
    for dim in table.shape[:axis]:
        s.outer *= dim
    for dim in table.shape[axis + 1:]:
        s.inner *= dim
    s.count, s.code = indices.size, table.code
    s.row = s.inner * itemsize_of(table.code)
    return 0


def take(
    Array x not None, Array indices not None, Array out not None, axis=0, str mode="clip", req="write"
):
    """Gather slices of `x` along `axis`.

    Parameters
    ----------
    x : Array
    indices : Array of any dtype
    out : Array, dtype of `x`
        Shape of `x` with `axis` replaced by the shape of `indices`.
    mode : {"clip", "wrap", "raise"}
        What becomes of an index out of range: the nearest one, its remainder, an IndexRangeError.
    """
    cdef int code = req_code(req), at = expect_axis("take", axis, x.ndim)
    cdef Slots s
    cdef Array target, places
    describe(&s, "take", x, out, indices, at)
    wait_read(x)
    wait_write(out)
    if code == REQ_NULL or out.size == 0:
        return
    places = whole_indices("take", indices, mode, s.length)
    target = target_of(out, code, (x, indices))
    s.at, s.table, s.rows = <const int64_t*>places.data, x.data, target.data
    with nogil:
        parallel_for(s.outer * s.count, GRAIN_BYTES // s.row + 1, take_part, &s)
    settle(out, target, code)


cdef void add_run(Slots* s, Py_ssize_t outer, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
    """Add the rows that belong to slices [low, high) of one part of the table."""
    cdef char* table = s.table + outer * s.length * s.row
    cdef const char* rows = s.rows + outer * s.count * s.row
    cdef char* slot
    cdef Py_ssize_t i
    if s.inner < SHORT and s.code == F32:
        add_short(<float*>table, <const float*>rows, s, low, high)
        return
    if s.inner < SHORT and s.code == F64:
        add_short(<double*>table, <const double*>rows, s, low, high)
        return
    for i in range(s.count):
        if low <= s.at[i] < high:
            slot = table + s.at[i] * s.row
            run_binary(BINARY_add, s.code, slot, rows + i * s.row, slot, s.inner, 0)


cdef void add_short(
    Float* table, const Float* rows, Slots* s, Py_ssize_t low, Py_ssize_t high
) noexcept nogil:
    """`add_run` where a call of a kernel would take longer than the row."""
    cdef Py_ssize_t i, k, at
    for i in range(s.count):
        at = s.at[i]
        if low <= at < high:
            for k in range(s.inner):
                table[at * s.inner + k] += rows[i * s.inner + k]


cdef void add_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Add what belongs to slices [begin, end) of the whole table; each thread has its own."""
    cdef Slots* s = <Slots*>arg
    cdef Py_ssize_t outer, start
    for outer in range(begin // s.length, (end - 1) // s.length + 1):
        start = outer * s.length
        add_run(s, outer, max(begin - start, 0), min(end - start, s.length))


def take_grad(
    Array dy not None, Array indices not None, Array out not None, axis=0, str mode="clip", req="write"
):
    """Gradient of `take`: each slice of `dy` is added where it was taken from."""
    cdef int code = req_code(req), at = expect_axis("take_grad", axis, out.ndim)
    cdef Slots s
    cdef Array target, places
    cdef Py_ssize_t share
    describe(&s, "take_grad", out, dy, indices, at)
    wait_read(dy)
    wait_write(out)
    if code == REQ_NULL or out.size == 0:
        return
    target = target_of(out, code, (dy, indices))
    memset(target.data, 0, target.size * itemsize_of(target.code))
    if dy.size:
        places = whole_indices("take_grad", indices, mode, s.length)
        s.at, s.table, s.rows = <const int64_t*>places.data, target.data, dy.data
        share = s.length * GRAIN_BYTES // (s.count * s.row) + 1
        with nogil:
            parallel_for(s.outer * s.length, share, add_part, &s)
    settle(out, target, code)


cdef int put_value(double value, Array like, char* place) except -1:
    """Store a number with the element type of `like`."""
    run_cast(F64, like.code, &value, place, 1)
    return 0


def one_hot(
    Array indices not None, Array out not None, double on_value=1.0, double off_value=0.0, req="write"
):
    """Write `on_value` at each index along a new last axis and `off_value` elsewhere.

    Parameters
    ----------
    indices : Array of any dtype
        An index that is not in [0, depth) makes a row of `off_value`.
    out : Array
        Shape of `indices` and the depth.
    """
    cdef int code = req_code(req)
    cdef Py_ssize_t i, item = itemsize_of(out.code), depth = out.shape[out.ndim - 1] if out.ndim else 0
    cdef Array target, places
    cdef char[8] on_bytes
    cdef char[8] off_bytes
    cdef const int64_t* at
    expect_shape("one_hot", "out", out, indices.shape + (depth,))
    wait_read(indices)
    wait_write(out)
    if code == REQ_NULL or out.size == 0:
        return
    target = target_of(out, code, (indices,))
    places = new_array(indices.shape, I64, indices.context)
    put_value(on_value, out, on_bytes)
    put_value(off_value, out, off_bytes)
    with nogil:
        run_cast(indices.code, I64, indices.data, places.data, indices.size)
        at = <const int64_t*>places.data
        if off_value == 0:
            memset(target.data, 0, target.size * item)
        else:
            for i in range(target.size):
                memcpy(target.data + i * item, off_bytes, item)
        for i in range(indices.size):
            if 0 <= at[i] < depth:
                memcpy(target.data + (i * depth + at[i]) * item, on_bytes, item)
    settle(out, target, code)


cdef Array flat_places(str function, Array indices, tuple shape):
    """Offsets, in slices, that the columns of `indices` of shape (m, ...) name in `shape`."""
    cdef Py_ssize_t m, count, i, j, dim
    cdef Array whole, result
    cdef const int64_t* at
    cdef int64_t* place
    if indices.ndim == 0 or indices.shape[0] > len(shape):
        raise ShapeError(
            f"{function}: 'indices' has shape {indices.shape}, expected (m, ...) with m <= {len(shape)}"
        )
    m = indices.shape[0]
    whole = new_array(indices.shape, I64, indices.context)
    result = new_array(indices.shape[1:], I64, indices.context)
    wait_read(indices)
    run_cast(indices.code, I64, indices.data, whole.data, indices.size)
    at, place, count = <const int64_t*>whole.data, <int64_t*>result.data, result.size
    memset(place, 0, count * sizeof(int64_t))
    for i in range(m):
        dim = shape[i]
        for j in range(count):
            if not -dim <= at[i * count + j] < dim:
                raise IndexRangeError(
                    f"{function}: index {at[i * count + j]} is not in [{-dim}, {dim}) of axis {i}"
                )
            place[j] = place[j] * dim + at[i * count + j] + (dim if at[i * count + j] < 0 else 0)
    return result


cdef int describe_nd(Slots* s, str function, Array table, Array rows, Array indices, Array places) except -1:
    cdef Py_ssize_t m = indices.shape[0]
    expect_code(function, "out", rows, table.code)
    expect_shape(function, "out", rows, indices.shape[1:] + table.shape[m:])
    s.outer, s.inner, s.length = 1, 1, 1
    for dim in table.shape[:m]:
        s.length *= dim
    for dim in table.shape[m:]:
        s.inner *= dim
    s.count, s.code, s.row = places.size, table.code, s.inner * itemsize_of(table.code)
    s.at = <const int64_t*>places.data
    return 0


def gather_nd(Array x not None, Array indices not None, Array out not None, req="write"):
    """Gather slices of `x`: column j of `indices`, shape (m, ...), holds m leading indices."""
    cdef int code = req_code(req)
    cdef Slots s
    cdef Array target, places = flat_places("gather_nd", indices, x.shape)
    describe_nd(&s, "gather_nd", x, out, indices, places)
    wait_read(x)
    wait_write(out)
    if code == REQ_NULL or out.size == 0:
        return
    target = target_of(out, code, (x, indices))
    s.table, s.rows = x.data, target.data
    with nogil:
        parallel_for(s.count, GRAIN_BYTES // s.row + 1, take_part, &s)
    settle(out, target, code)


def scatter_nd(
    Array src not None, Array indices not None, Array out not None, req="write", bint accumulate=True
):
    """Write slices of `src` into zeros at the places that `gather_nd` would read.

    Parameters
    ----------
    accumulate : bool
        Add slices that meet in one place, as the gradient of `gather_nd` needs; else the last one stays.
    """
    cdef int code = req_code(req)
    cdef Slots s
    cdef Py_ssize_t i, share
    cdef Array target, places = flat_places("scatter_nd", indices, out.shape)
    describe_nd(&s, "scatter_nd", out, src, indices, places)
    wait_read(src)
    wait_write(out)
    if code == REQ_NULL or out.size == 0:
        return
    target = target_of(out, code, (src, indices))
    memset(target.data, 0, target.size * itemsize_of(target.code))
    s.table, s.rows = target.data, src.data
    with nogil:
        if accumulate and src.size:
            share = s.length * GRAIN_BYTES // (s.count * s.row) + 1
            parallel_for(s.outer * s.length, share, add_part, &s)
        elif src.size:
            for i in range(s.count):
                memcpy(s.table + s.at[i] * s.row, s.rows + i * s.row, s.row)
    settle(out, target, code)


cdef int describe_pick(Slots* s, str function, Array table, Array index, Array out, int axis) except -1:
    """`index` and `out` have the shape of `table` without `axis`, or with length 1 there."""
    kept = without_axis(table.shape, axis)
    held = table.shape[:axis] + (1,) + table.shape[axis + 1:]
    for name, array in (("index", index), ("out", out)):
        shape = (<Array>array).shape
        if shape != kept and shape != held and not (kept == () and shape == (1,)):
            raise ShapeError(f"{function}: {name!r} has shape {shape}, expected {kept} or {held}")
    s.outer, s.inner, s.length = 1, 1, table.shape[axis]
    for dim in table.shape[:axis]:
        s.outer *= dim
    for dim in table.shape[axis + 1:]:
        s.inner *= dim
    s.row = itemsize_of(table.code)
    return 0


def pick(
    Array x not None, Array index not None, Array out not None, axis=-1, str mode="clip", req="write"
):
    """Choose one element of `x` along `axis` for each position of the other axes.

    Parameters
    ----------
    x : Array
    index : Array of any dtype
        Shape of `x` without `axis`, or with length 1 there.
    out : Array, dtype of `x`; shaped like `index`.
    mode : {"clip", "wrap", "raise"}
    """
    cdef int code = req_code(req), at = expect_axis("pick", axis, x.ndim)
    cdef Slots s
    cdef Py_ssize_t i, place
    cdef Array target, places
    describe_pick(&s, "pick", x, index, out, at)
    expect_code("pick", "out", out, x.code)
    wait_read(x)
    wait_write(out)
    if code == REQ_NULL or out.size == 0:
        return
    places = whole_indices("pick", index, mode, s.length)
    s.at = <const int64_t*>places.data
    target = target_of(out, code, (x, index))
    with nogil:
        for i in range(s.outer * s.inner):
            place = (i // s.inner * s.length + s.at[i]) * s.inner + i % s.inner
            memcpy(target.data + i * s.row, x.data + place * s.row, s.row)
    settle(out, target, code)


def pick_grad(
    Array dy not None, Array index not None, Array out not None, axis=-1, str mode="clip", req="write"
):
    """Gradient of `pick`: `dy` where it was picked, zeros elsewhere."""
    cdef int code = req_code(req), at = expect_axis("pick_grad", axis, out.ndim)
    cdef Slots s
    cdef Py_ssize_t i, place
    cdef Array target, places
    describe_pick(&s, "pick_grad", out, index, dy, at)
    expect_code("pick_grad", "dy", dy, out.code)
    wait_read(dy)
    wait_write(out)
    if code == REQ_NULL or out.size == 0:
        return
    target = target_of(out, code, (dy, index))
    memset(target.data, 0, target.size * s.row)
    places = whole_indices("pick_grad", index, mode, s.length)
    s.at = <const int64_t*>places.data
    with nogil:
        for i in range(s.outer * s.inner):
            place = (i // s.inner * s.length + s.at[i]) * s.inner + i % s.inner
            memcpy(target.data + place * s.row, dy.data + i * s.row, s.row)
    settle(out, target, code)
