"""Products of few rows with a matrix, and of some; the loops are in two headers."""

from cpython.pycapsule cimport PyCapsule_New

cdef opforge_product_table table

table.few_rows = opforge_few_rows
table.some_rows = opforge_some_rows    # NULL: BLAS is as quick
TABLE = PyCapsule_New(&table, "opforge.kernels.product", NULL)
