# Epilogues: elementwise steps, as in abi.h, applied to a result while it is in a cache.

from opforge.abi cimport opforge_step

cdef enum:
    MAX_STEPS = 16
    MAX_VALUES = 4                     # earlier values that later steps read

# Applies the steps to `rows` rows of `count` elements, which are `step` elements apart; `y` points to element
# `position` of the result. There are at most MAX_STEPS steps, which read at most MAX_VALUES earlier values;
# `code` is a floating type. Runs on the calling thread; the caller has checked position and counts.
cdef void run_epilogue(
    const opforge_step* steps, int n_steps, int code, void* y, Py_ssize_t position, Py_ssize_t rows,
    Py_ssize_t count, Py_ssize_t step,
) noexcept nogil
