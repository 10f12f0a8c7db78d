# Tables of C functions that plugins hand over.

from opforge.abi cimport opforge_operator

cdef class ForeignOperator:            # the functions of one operator
    cdef readonly str name
    cdef readonly str source           # the module that has them, for messages
    cdef opforge_operator table        # a copy; what the plugin's version lacks is NULL or 0
    cdef object keep                   # keeps the functions alive
