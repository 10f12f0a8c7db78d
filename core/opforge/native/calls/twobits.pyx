"""Gradients in two bits a value: 16 in a word, with what is not sent kept for the next time."""

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
    GRAIN = 1024                       # words that are worth a thread

cdef struct Task:
    const float* x                     # NULL: unpack
    float* rest
    uint8_t* words
    float* out
    float threshold
    bint adds
    Py_ssize_t n


cdef void part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Do the values of words [begin, end)."""
    cdef Task* t = <Task*>arg
    cdef Py_ssize_t at = begin * LANES, n = min(end * LANES, t.n) - at
    if t.x != NULL:
        kernels.pack(t.x + at, t.rest + at, t.words + 4 * begin, t.threshold, n)
    else:
        kernels.unpack(t.words + 4 * begin, t.out + at, t.threshold, t.adds, n)


cdef int launch(Task* t, str function, Array words, double threshold, Py_ssize_t n) except -1:
    t.threshold, t.n = threshold, n
    if not (t.threshold > 0 and isfinite(t.threshold)):
        raise AttributeValueError(
            f"{function}: got threshold={threshold!r}, expected a finite float32 above 0"
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
    """Send of each value `threshold`, its negative or nothing, and keep what is left.

    Parameters
    ----------
    x : Array, float32
    rest : Array, float32, shape of `x`
        What earlier calls have left, and then what this one leaves.
    words : Array, int32, one for 16 values
        What is sent.
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
    """Write what `pack_two_bits` has sent, or add it.

    Parameters
    ----------
    words : Array, int32, one for 16 values
    out : Array, float32
    threshold : float > 0, default 0.5
    req : {"write", "add", "inplace", "null"}, default "write"
    """
    cdef Task t
    cdef int how = req_code(req)
    if how == REQ_NULL:
        return
    expect_code("unpack_two_bits", "out", out, F32)
    if overlaps(out, words):
        raise ValueError("unpack_two_bits: 'out' and 'words' share memory")
    wait_read(words)
    wait_write(out)
    t.x, t.out, t.adds = NULL, <float*>out.data, how == REQ_ADD
    launch(&t, "unpack_two_bits", words, threshold, out.size)
