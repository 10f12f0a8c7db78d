# C declarations of the kernel table for matrix products.

from libc.stdint cimport uint16_t

cdef extern from "opforge_dots.h" nogil:
    ctypedef void (*opforge_dots_fn)(
        const float*, Py_ssize_t, const float*, Py_ssize_t, const float*, float*, Py_ssize_t,
        Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t, int) noexcept nogil
    opforge_dots_fn opforge_dots

cdef extern from "opforge_brain.h" nogil:
    ctypedef void (*opforge_brain_fn)(
        const uint16_t*, Py_ssize_t, const uint16_t*, Py_ssize_t, int, const uint16_t*, uint16_t*,
        Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t, int) noexcept nogil
    opforge_brain_fn opforge_brain_dots, opforge_brain_panels
    bint opforge_has_brain_products()

cdef extern from "opforge_panels.h" nogil:
    ctypedef void (*opforge_panels_fn)(
        const float*, Py_ssize_t, const float*, Py_ssize_t, int, const float*, float*, Py_ssize_t,
        Py_ssize_t, Py_ssize_t, Py_ssize_t, int) noexcept nogil
    ctypedef struct opforge_product_table:
        opforge_dots_fn dots
        opforge_panels_fn panels
        opforge_brain_fn brain_dots, brain_panels
    opforge_panels_fn opforge_panels
