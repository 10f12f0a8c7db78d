"""Table of the kernels for cumulative sums; the loops are in a C header."""

from cpython.pycapsule cimport PyCapsule_New

cdef opforge_cumulative_table table

table.f64 = opforge_cumsum_f64
table.i64 = opforge_cumsum_i64
TABLE = PyCapsule_New(&table, b"opforge.kernels.cumulative", NULL)
