"""Products of a few rows with a matrix, without packing; the loops are in the header."""

from cpython.pycapsule cimport PyCapsule_New

cdef opforge_product_table table

table.few_rows = opforge_few_rows
TABLE = PyCapsule_New(&table, "opforge.kernels.product", NULL)
