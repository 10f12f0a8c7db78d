# What an operator does with its result while that is in a cache: the steps of abi.h, by the core's kernels.

from opforge.abi cimport opforge_step

cdef enum:
    MOST_STEPS = 16
    MOST_VALUES = 4                    # of earlier ones that later steps read

# Takes `rows` rows of `count` elements, `step` apart, through the steps: at `y` are those of the result from
# `position` on. There are at most MOST_STEPS steps, which read at most MOST_VALUES earlier values; `code`
# is float32 or float64. On the calling thread; the caller has checked position and counts.
cdef void run_epilogue(
    const opforge_step* steps, int n_steps, int code, void* y, Py_ssize_t position, Py_ssize_t rows,
    Py_ssize_t count, Py_ssize_t step,
) noexcept nogil
