"""`FusedReduction`: elementwise operators and reductions of their results, in one pass.

Each tile is reduced while it is in the L1 cache, by the same kernels that reduce whole arrays, so the
elements need not be stored. The division of work depends only on the shape and the operators, so
results do not depend on the number of threads.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free

from opforge.native.array.array cimport Array
from opforge.native.graph.fused cimport (
    LINE, SCRATCH, FusedStep, Job, Tile, place_registers, run_tile,
)
from opforge.native.kernels.reduce cimport REDUCE_WIDE, opforge_reduce_fn
from opforge.native.loops.choice cimport GRAIN, PER_BYTE
from opforge.native.loops.reduce cimport Cell, store_cells, join, overflowed, reduce_kernels, reset
from opforge.native.loops.stores cimport fence, line_of
from opforge.native.memory.types cimport itemsize_of
from opforge.native.threads.parallel cimport parallel_for

from opforge.base.errors import OutOfMemoryError, ShapeError
from opforge.native.calls.reductions import REDUCTIONS

cdef enum:
    MAX_FOLDS = 4
    TILE_BYTES = 8192                  # maximum; all registers must also fit into SCRATCH
    MAX_LINES = 512                    # maximum rows of a tile
    SHARES = 128                       # approximate number of units that long rows are cut into

MOST_FOLDS = MAX_FOLDS

cdef Py_ssize_t MOST = <Py_ssize_t>1 << 56  # elements: products of sizes below this do not overflow

cdef struct Fold:
    int op, finish                     # codes from kernels/reduce.pxd and loops/reduce.pxd
    int source                         # the operand to reduce
    char* out
    Cell* partial                      # partial results of units, if a row has several

cdef struct Folding:
    Job job
    Fold[MAX_FOLDS] folds
    int n_folds, code
    opforge_reduce_fn fn
    Py_ssize_t rows, width             # number of results, and elements per result
    Py_ssize_t lines, tile             # rows and elements of a tile
    Py_ssize_t chunk, chunks           # a row is cut into `chunks` units of `chunk` elements


cdef void fold_tile(Folding* f, Fold* fold, const char* x, Py_ssize_t w, Py_ssize_t n, Cell* into) noexcept nogil:
    """Reduce `w` rows of `n` elements into `w` cells with equal initial values."""
    cdef Cell before = into[0]
    cdef Py_ssize_t j
    f.fn(fold.op, x, NULL, NULL, w, n, n, into)
    if overflowed(into, w, fold.op, f.code):
        for j in range(w):
            into[j] = before
        f.fn(fold.op | REDUCE_WIDE, x, NULL, NULL, w, n, n, into)


cdef void store(Folding* f, Fold* fold, Cell* cells, Py_ssize_t row, Py_ssize_t w) noexcept nogil:
    store_cells(cells, w, f.code, fold.finish, f.width, fold.out + row * f.job.size, f.code)


cdef void units(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Process units [begin, end); each is a tile of whole rows, or a chunk of one row."""
    cdef Folding* f = <Folding*>arg
    cdef char[SCRATCH + LINE] space
    cdef Tile tile
    cdef Cell[MAX_FOLDS * MAX_LINES] cells
    cdef Py_ssize_t unit, row, w, first, last, count
    cdef int k
    place_registers(&f.job, line_of(space), &tile)
    for unit in range(begin, end):
        row = unit // f.chunks * f.lines
        w = min(f.lines, f.rows - row)
        first = row * f.width + unit % f.chunks * f.chunk
        last = min(first + f.chunk, (row + w) * f.width)
        for k in range(f.n_folds):
            reset(cells + k * MAX_LINES, w, f.folds[k].op, f.code)
        while first < last:
            count = min(f.tile, last - first)
            run_tile(&f.job, &tile, first, count)
            for k in range(f.n_folds):
                fold_tile(
                    f, &f.folds[k], tile.at[f.folds[k].source], w, count // w, cells + k * MAX_LINES
                )
            first += count
        for k in range(f.n_folds):
            if f.chunks > 1:
                f.folds[k].partial[unit] = cells[k * MAX_LINES]
            else:
                store(f, &f.folds[k], cells + k * MAX_LINES, row, w)
    if f.job.streams:
        fence()


cdef void join_chunks(Folding* f, Fold* fold) noexcept nogil:
    cdef Py_ssize_t row, k
    cdef Cell* cells
    for row in range(f.rows):
        cells = fold.partial + row * f.chunks
        for k in range(1, f.chunks):
            join(cells, cells + k, 1, fold.op, f.code)
        store(f, fold, cells, row, 1)


cdef class FusedReduction(FusedStep):
    """A `FusedStep` with additional outputs: reductions of its intermediate results or inputs.

    Parameters
    ----------
    code, calls, n_registers, constants, n_inputs, n_outputs, waiting, spreads
        As for `FusedStep`, without bfloat16; `n_outputs` counts the outputs that are not reductions.
    folds : list of (name, operand)
        One additional output each: the reduction, named as in `reductions.REDUCTIONS`, of an operand
        whose elements are valid after all calls.
    rows, width : int
        The operands are reduced as `rows` rows of `width` elements.
    """

    cdef Folding folding
    cdef Cell* partial

    def __cinit__(self, *arguments):
        self.partial = NULL

    def __init__(
        self, int code, list calls, int n_registers, list constants, int n_inputs, int n_outputs,
        list waiting, dict spreads, list folds, Py_ssize_t rows, Py_ssize_t width,
    ):
        cdef Py_ssize_t units
        cdef int k
        FusedStep.__init__(
            self, code, calls, n_registers, constants, n_inputs, n_outputs, waiting, spreads
        )
        if not 0 < len(folds) <= MAX_FOLDS or rows < 1 or not 0 < width <= MOST // rows:
            raise ValueError(f"FusedReduction: {len(folds)} reductions of {rows} rows of {width}")
        for k, (name, operand) in enumerate(folds):
            if name not in REDUCTIONS or not 0 <= operand < self.job.n_operands:
                raise ValueError(f"FusedReduction: no {name!r} of operand {operand}")
            self.folding.folds[k].op, self.folding.folds[k].finish = REDUCTIONS[name]
            self.folding.folds[k].source = operand
            self.cost += PER_BYTE * itemsize_of(code)
        self.folding.n_folds, self.folding.code = <int>len(folds), code
        self.folding.fn = reduce_kernels.rows[code]
        units = self.cut(rows, width)
        if self.folding.chunks > 1:
            self.partial = <Cell*>PyMem_Calloc(len(folds) * units, sizeof(Cell))
            if self.partial == NULL:
                raise OutOfMemoryError("FusedReduction")
            for k in range(self.folding.n_folds):
                self.folding.folds[k].partial = self.partial + k * units

    cdef Py_ssize_t cut(self, Py_ssize_t rows, Py_ssize_t width) except -1:
        """Choose the sizes of tiles and chunks; return the number of units.

        A chunk has at least a grain of work and at least 1 / SHARES of all elements, so at most
        2 * SHARES partial results are combined.
        """
        cdef Folding* f = &self.folding
        cdef Py_ssize_t max_width = self.job.tile // self.job.size, min_chunk
        f.rows, f.width = rows, width
        if width > max_width:
            min_chunk = max(GRAIN // self.cost, rows * width // SHARES)
            f.lines, f.tile, f.chunks = 1, max_width, 1
            f.chunk = (min_chunk + max_width - 1) // max_width * max_width
            if f.chunk < width:
                f.chunks = (width + f.chunk - 1) // f.chunk
        else:
            f.lines, f.chunks = min(max_width // width, <Py_ssize_t>MAX_LINES), 1
            f.tile = f.chunk = f.lines * width
        return (rows + f.lines - 1) // f.lines * f.chunks

    cdef Py_ssize_t choose_tile(self, int n_registers) noexcept:
        cdef Py_ssize_t tile = TILE_BYTES
        while tile * n_registers > SCRATCH:
            tile //= 2
        return tile

    def __dealloc__(self):
        PyMem_Free(self.partial)

    cdef int run(self, bint train) except -1:
        cdef Folding f = self.folding
        cdef Array item
        cdef Py_ssize_t units_of_rows, grain
        cdef int k
        self.settle(&f.job, f.rows * f.width, self.n_outputs + f.n_folds)
        for k in range(f.n_folds):
            item = <Array>self.outputs[self.n_outputs + k]
            if item.code != self.code or item.size != f.rows:
                raise ShapeError(
                    f"node '{self.label}': an output has {item.size} elements of type code {item.code}; "
                    f"expected {f.rows} of type code {self.code}"
                )
            f.folds[k].out = item.data
        units_of_rows = (f.rows + f.lines - 1) // f.lines
        grain = GRAIN // max(self.cost * min(f.chunk, f.lines * f.width), 1) + 1
        with nogil:
            parallel_for(units_of_rows * f.chunks, grain, units, &f)
            if f.chunks > 1:
                for k in range(f.n_folds):
                    join_chunks(&f, &f.folds[k])
        return 0
