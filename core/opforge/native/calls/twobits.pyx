"""Two-bit gradient compression: 16 values per word, with the quantization error kept as a residual."""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport isfinite
from libc.stdint cimport uint8_t

from opforge.native.array.array cimport Array, overlaps, wait_read, wait_write
from opforge.native.array.expect cimport expect_code, expect_shape
from opforge.native.array.output cimport req_code
from opforge.native.kernels.twobits cimport opforge_twobits_table
from opforge.native.memory.types cimport F32, I32, REQ_ADD, REQ_NULL
from opforge.native.threads.parallel cimport parallel_for

from opforge.base.errors import AttributeValueError
from opforge.native.kernels import isa as _isa

__all__ = ["pack_two_bits", "unpack_two_bits"]

cdef opforge_twobits_table* kernels = <opforge_twobits_table*>PyCapsule_GetPointer(
    _isa.table("twobits"), b"opforge.kernels.twobits"
)

cdef enum:
    LANES = 16
    GRAIN = 1024                       # minimum words per thread

cdef struct Task:
    const float* x                     # NULL: unpack
    float* rest
    uint8_t* words
    float* out
    float threshold
    bint adds
    Py_ssize_t n


cdef void part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Pack or unpack words [begin, end)."""
    cdef Task* t = <Task*>arg
    cdef Py_ssize_t offset = begin * LANES, n = min(end * LANES, t.n) - offset
    if t.x != NULL:
        kernels.pack(t.x + offset, t.rest + offset, t.words + 4 * begin, t.threshold, n)
    else:
        kernels.unpack(t.words + 4 * begin, t.out + offset, t.threshold, t.adds, n)


cdef int launch(Task* t, str function, Array words, double threshold, Py_ssize_t n) except -1:
    t.threshold, t.n = threshold, n
    if not (t.threshold > 0 and isfinite(t.threshold)):
        raise AttributeValueError(
            f"{function}: threshold is {threshold!r}, expected a finite float32 value above 0"
        )
    expect_code(function, "words", words, I32)
    expect_shape(function, "words", words, ((n + LANES - 1) // LANES,))
    t.words = <uint8_t*>words.data
    with nogil:
        parallel_for(words.size, GRAIN, part, t)
    return 0


def pack_two_bits(
    Array x not None, Array rest not None, Array words not None, double threshold=0.5
):
    """Quantize each value to `threshold`, its negative or 0, and keep the residual.

    Parameters
    ----------
    x : Array, float32
    rest : Array, float32, shape of `x`
        Residual of earlier calls, which is added to `x`; receives the new residual.
    words : Array, int32, one word per 16 values
        Receives the packed values.
    threshold : float > 0, default 0.5
    """
    cdef Task t
    expect_code("pack_two_bits", "x", x, F32)
    expect_code("pack_two_bits", "rest", rest, F32)
    expect_shape("pack_two_bits", "rest", rest, x.shape)
    if overlaps(rest, x) or overlaps(words, x) or overlaps(words, rest):
        raise ValueError("pack_two_bits: 'x', 'rest' and 'words' share memory")
    wait_read(x)
    wait_write(rest)
    wait_write(words)
    t.x, t.rest = <const float*>x.data, <float*>rest.data
    launch(&t, "pack_two_bits", words, threshold, x.size)


def unpack_two_bits(Array words not None, Array out not None, double threshold=0.5, req="write"):
    """Write or add the values packed by `pack_two_bits`.

    Parameters
    ----------
    words : Array, int32, one word per 16 values
    out : Array, float32
    threshold : float > 0, default 0.5
    req : {"write", "add", "inplace", "null"}, default "write"
    """
    cdef Task t
    cdef int request = req_code(req)
    if request == REQ_NULL:
        return
    expect_code("unpack_two_bits", "out", out, F32)
    if overlaps(out, words):
        raise ValueError("unpack_two_bits: 'out' and 'words' share memory")
    wait_read(words)
    wait_write(out)
    t.x, t.out, t.adds = NULL, <float*>out.data, request == REQ_ADD
    launch(&t, "unpack_two_bits", words, threshold, out.size)
