"""Table of the kernels for matrix products with few rows; the loops are in C headers."""

from cpython.pycapsule cimport PyCapsule_New

cdef opforge_product_table table

table.few_rows = opforge_few_rows
table.some_rows = opforge_some_rows    # NULL if BLAS is as fast
TABLE = PyCapsule_New(&table, "opforge.kernels.product", NULL)
