# C declarations of the kernel table for matrix products with few rows.

cdef extern from "opforge_product.h" nogil:
    ctypedef void (*opforge_few_rows_fn)(
        const float*, const float*, const float*, float*, Py_ssize_t, Py_ssize_t, Py_ssize_t,
        Py_ssize_t, int) noexcept nogil
    void opforge_few_rows(
        const float*, const float*, const float*, float*, Py_ssize_t, Py_ssize_t, Py_ssize_t,
        Py_ssize_t, int) noexcept nogil

cdef extern from "opforge_panels.h" nogil:
    ctypedef void (*opforge_some_rows_fn)(
        const float*, Py_ssize_t, const float*, Py_ssize_t, int, const float*, float*, Py_ssize_t,
        Py_ssize_t, Py_ssize_t, Py_ssize_t, int) noexcept nogil
    ctypedef struct opforge_product_table:
        opforge_few_rows_fn few_rows
        opforge_some_rows_fn some_rows
    opforge_some_rows_fn opforge_some_rows
