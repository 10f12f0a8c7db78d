"""Table of the kernels for matrix products; the loops are in C headers."""

from cpython.pycapsule cimport PyCapsule_New

cdef opforge_product_table table

table.dots = opforge_dots
table.panels = opforge_panels          # NULL if BLAS is as fast
if opforge_has_brain_products():
    table.brain_dots = opforge_brain_dots
    table.brain_panels = opforge_brain_panels
TABLE = PyCapsule_New(&table, "opforge.kernels.product", NULL)
