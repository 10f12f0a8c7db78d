"""Indices of the largest or smallest elements along an axis: argmax, argmin.

A long axis is divided into pieces that threads search in parallel; of equal extremes the first wins.
"""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from opforge.native.array.array cimport Array, new_array, wait_read, wait_write
from opforge.native.array.expect cimport expect_axis
from opforge.native.array.output cimport req_code, settle, target_of
from opforge.native.calls.extents cimport Extents, split_shape
from opforge.native.calls.reductions cimport ALL_AXES, expect_reduced
from opforge.native.kernels.reduce cimport opforge_arg_fn, opforge_arg_table
from opforge.native.loops.casting cimport run_cast
from opforge.native.memory.types cimport I64, REQ_NULL, itemsize_of
from opforge.native.threads.parallel cimport parallel_for

from opforge.base.errors import ShapeError
from opforge.native.kernels import isa as _isa

__all__ = ["argreduce"]

cdef opforge_arg_table* kernels = <opforge_arg_table*>PyCapsule_GetPointer(
    _isa.table("argreduce"), b"opforge.kernels.argreduce"
)

cdef enum:
    TILE = 256                         # columns of a unit of work
    WORK = 65536                       # minimum elements per thread: 5 us

cdef struct Search:
    opforge_arg_fn fn
    const char* x
    long long* index                   # (outer, pieces, inner)
    Py_ssize_t n, inner, item, piece, pieces, tile, tiles
    bint want_min


cdef void search_units(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Search units [begin, end): unit = (outer index * pieces + piece) * tiles + tile."""
    cdef Search* t = <Search*>arg
    cdef Py_ssize_t unit, piece_number, start, column, width, j
    cdef long long* index
    if t.inner == 1 and t.pieces == 1:
        t.fn(t.want_min, t.x + begin * t.n * t.item, end - begin, t.n, t.n, t.index + begin)
        return
    for unit in range(begin, end):
        piece_number = unit // t.tiles
        column = unit % t.tiles * t.tile
        start = piece_number % t.pieces * t.piece
        width = min(t.inner - column, t.tile)
        index = t.index + piece_number * t.inner + column
        t.fn(
            t.want_min, t.x + ((piece_number // t.pieces * t.n + start) * t.inner + column) * t.item, width,
            t.inner, min(t.n - start, t.piece), index,
        )
        for j in range(width):
            index[j] += start


cdef void cut(Search* t, Py_ssize_t outer) noexcept nogil:
    """Divide into tiles of columns, and the axis into pieces if there are too few tiles for the threads."""
    t.tile = min(t.inner, <Py_ssize_t>TILE)
    t.tiles = (t.inner + t.tile - 1) // t.tile
    t.piece = t.n
    if outer * t.tiles < 64:
        t.piece = min(t.n, max(<Py_ssize_t>1, WORK // t.tile))
    t.pieces = (t.n + t.piece - 1) // t.piece


cdef Array join_pieces(Search* t, Py_ssize_t outer, Array parts, Array x):
    """Return for each result the index of the first extreme among all pieces."""
    cdef Array index = new_array((outer * t.inner,), I64, x.context)
    cdef Array values = new_array((t.pieces, t.inner), x.code, x.context)
    cdef Array winner = new_array((t.inner,), I64, x.context)
    cdef const int64_t* piece_index = <const int64_t*>parts.data
    cdef const int64_t* winning_piece = <const int64_t*>winner.data
    cdef int64_t* result = <int64_t*>index.data
    cdef Py_ssize_t o, p, j
    with nogil:
        for o in range(outer):
            for p in range(t.pieces):
                for j in range(t.inner):
                    memcpy(
                        values.data + (p * t.inner + j) * t.item,
                        t.x + ((o * t.n + piece_index[p * t.inner + j]) * t.inner + j) * t.item, t.item,
                    )
            kernels.cols[x.code](
                t.want_min, values.data, t.inner, t.inner, t.pieces, <long long*>winner.data
            )
            for j in range(t.inner):
                result[j] = piece_index[winning_piece[j] * t.inner + j]
            piece_index += t.pieces * t.inner
            result += t.inner
    return index


def argreduce(str name not None, Array x not None, Array out not None, axis=None, req="write"):
    """Find the index of the largest ("argmax") or smallest ("argmin") element along `axis`.

    Parameters
    ----------
    name : {"argmax", "argmin"}
    x : Array
    out : Array of any dtype
        Shape of `x` without `axis`, or with length 1 there.
    axis : int, optional
        None: over the flattened array.

    Notes
    -----
    Of equal elements the first is returned; NaN counts as the extreme, as in NumPy.
    """
    cdef int code = req_code(req), ax = 0
    cdef Py_ssize_t n_units
    cdef Array target, index
    cdef Extents e
    cdef Search t
    if name not in ("argmax", "argmin"):
        raise ValueError(f"argreduce: name {name!r} is unknown; expected 'argmax' or 'argmin'")
    if axis is None:
        e = Extents(1, x.size, 1)
    else:
        ax = expect_axis(name, axis, x.ndim)
        split_shape(x.shape, ax, &e)
    t.n, t.inner = e.n, e.inner
    expect_reduced(name, x, out, ALL_AXES if axis is None else <unsigned int>1 << ax)
    if t.n == 0 and out.size:
        raise ShapeError(f"{name}: 'x' of shape {x.shape} has no elements to choose from along the axis")
    wait_read(x)
    wait_write(out)
    if code == REQ_NULL or out.size == 0:
        return
    cut(&t, e.outer)
    t.want_min = name == "argmin"
    t.fn = kernels.rows[x.code] if t.inner == 1 else kernels.cols[x.code]
    index = new_array((e.outer * t.pieces * t.inner,), I64, x.context)
    t.x, t.index, t.item = x.data, <long long*>index.data, itemsize_of(x.code)
    n_units = e.outer * t.pieces * t.tiles
    target = target_of(out, code, (x,))
    with nogil:
        parallel_for(n_units, WORK // (t.piece * t.tile) + 1, search_units, &t)
    if t.pieces > 1:
        index = join_pieces(&t, e.outer, index, x)
    with nogil:
        run_cast(I64, target.code, index.data, target.data, target.size)
    settle(out, target, code)
