"""Table of the optimizer kernels; the loops are in `opforge_update.h`."""

from cpython.pycapsule cimport PyCapsule_New

cdef opforge_update_table table

opforge_update_fill(&table)
TABLE = PyCapsule_New(&table, "opforge.kernels.update", NULL)
