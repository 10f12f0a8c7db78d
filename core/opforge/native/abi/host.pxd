# What opforge does for the C functions of plugins.

from opforge.abi cimport opforge_call

cdef enum:
    MAX_TEXT = 1000                    # bytes of an error's text

cdef struct Lent:                      # in front of each block of scratch memory
    Lent* next
    int size_class

# A call as the host knows it. The plugin gets the address of the first field, and passes it back.
cdef struct Frame:
    opforge_call call
    Lent* lent
    bint draws                         # the operator says that it draws random numbers
    char[MAX_TEXT + 1] text

cdef void open_frame(Frame* frame) noexcept nogil
cdef void close_frame(Frame* frame) noexcept nogil         # frees the scratch memory
