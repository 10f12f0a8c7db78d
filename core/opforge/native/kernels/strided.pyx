"""Table of the kernels that copy elements that are not adjacent; the loops are in `opforge_strided.h`."""

from cpython.pycapsule cimport PyCapsule_New

from opforge.native.kernels.strided cimport opforge_strided_table

cdef extern from "opforge_strided.h" nogil:
    const opforge_strided_table of_strided_kernels

TABLE = PyCapsule_New(<void*>&of_strided_kernels, b"opforge.kernels.strided", NULL)
