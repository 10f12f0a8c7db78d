"""When and how results are stored past the caches.

A plain store reads its line from memory first, and a large output evicts what is in the caches to
hold lines that will be gone before anybody reads them. An output that fills three quarters of all
caches together with its operands is therefore computed tile by tile in the first-level cache and
streamed from there: adding two arrays moves 12 bytes an element instead of 16. Of elementwise results
that share is streamed which exceeds those three quarters, and the rest stays where the next call finds it:
beside 32 MB of cache, a row added to a matrix of 16 MB takes 0.58 ms all plain, 0.63 streamed, 0.52 with
half of it streamed (0.46, 0.37 and 0.34 where memory is less busy). Smaller outputs stay in the cache for
the operator that comes next: an addition and the square of its result take, plain and streamed, 0.45 and
0.53 ns an element at 4 MB an array, 0.74 and 0.67 at 8 MB, 0.79 and 0.65 at 16 MB.
"""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport uintptr_t

from opforge.native.kernels.elementwise cimport opforge_elementwise_table

from pathlib import Path

from opforge.base.limits import available_cpus
from opforge.native.kernels import isa as _isa

cdef extern from "opforge_stores.h" nogil:
    void of_stream_fence()

cdef opforge_elementwise_table* table = <opforge_elementwise_table*>PyCapsule_GetPointer(
    _isa.table("elementwise"), "opforge.kernels.elementwise"
)
cdef Py_ssize_t threshold              # bytes; written at import and by tests alone


cdef bint exceeds_cache(Py_ssize_t moved) noexcept nogil:
    return moved > threshold


cdef double share_kept(Py_ssize_t result, Py_ssize_t operands) noexcept nogil:
    return max(threshold - operands, 0) / <double>result


cdef Py_ssize_t first_tile(const void* y, Py_ssize_t size, Py_ssize_t most) noexcept nogil:
    cdef Py_ssize_t before = (64 - (<uintptr_t>y & 63)) & 63
    return max(before // size, 1) if before else most


cdef void stream(const void* tile, void* y, Py_ssize_t nbytes) noexcept nogil:
    table.stream(tile, y, nbytes)


cdef void fence() noexcept nogil:
    of_stream_fence()


def cached(threads, root="/sys/devices/system/cpu/cpu0/cache", default=32 << 20):
    """Return how many bytes the caches hold that some threads reach.

    The largest cache is shared; the next one, of which each thread has its own, holds what the largest
    does not.

    Parameters
    ----------
    threads : int
    root : str
        Where Linux describes the caches. The C library's answer is not asked for: on virtual machines
        it has been seen to be eight times too large.
    default : int
        The answer where the system gives none.

    Examples
    --------
    >>> cached(2) > 0
    True
    """
    found = set()
    for path in Path(root).glob("index*/size"):
        try:
            text = path.read_text().strip()
            unit = text.lstrip("0123456789")
            found.add(int(text.removesuffix(unit)) << {"": 0, "K": 10, "M": 20, "G": 30}[unit])
        except (OSError, ValueError, KeyError):
            continue
    *_, own, shared = [0] + sorted(found or {default})
    return shared + threads * own


def _set_threshold(Py_ssize_t nbytes):
    """Stream outputs that move more bytes than this from now on; returns what it was before."""
    global threshold
    before = threshold
    threshold = nbytes
    return before


# Other data, and lines that meet in one set, take the last quarter.
_set_threshold(cached(available_cpus()) * 3 // 4)
