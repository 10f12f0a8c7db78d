"""Steps of optimizers, one pass over memory each; the loops are in the header."""

from cpython.pycapsule cimport PyCapsule_New

cdef opforge_update_table table

opforge_update_fill(&table)
TABLE = PyCapsule_New(&table, "opforge.kernels.update", NULL)
