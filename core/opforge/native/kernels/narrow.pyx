"""Elementwise kernels of uint8 and int8, for operations that need no wider arithmetic.

Imports nothing from opforge; compiled once for each instruction set.
"""

from cpython.pycapsule cimport PyCapsule_New

from opforge.native.kernels.elementwise cimport opforge_narrow_table

cdef extern from "opforge_narrow_kernels.h" nogil:
    const opforge_narrow_table of_narrow_kernels

TABLE = PyCapsule_New(<void*>&of_narrow_kernels, "opforge.kernels.narrow", NULL)
