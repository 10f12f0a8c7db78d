# What an operator does with its result while that is in a cache: the steps of abi.h, by the core's kernels.

from opforge.abi cimport opforge_step

cdef enum:
    MOST_STEPS = 16
    MOST_VALUES = 4                    # of earlier ones that later steps read

# Takes the `count` elements at `y`, which are those of the result from `position` on, through the steps.
# There are at most MOST_STEPS, which read at most MOST_VALUES earlier values; `code` is float32 or float64.
# On the calling thread; the caller has checked position and count.
cdef void run_epilogue(
    const opforge_step* steps, int n_steps, int code, void* y, Py_ssize_t position, Py_ssize_t count,
) noexcept nogil

# Picoseconds that the steps take an element, for grains.
cdef Py_ssize_t epilogue_cost(const opforge_step* steps, int n_steps, int code) noexcept nogil
