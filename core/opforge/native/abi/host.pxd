# The table of functions that plugins can call.

from opforge.native.abi.frame cimport Frame

cdef void open_frame(Frame* frame) noexcept nogil          # initializes an empty call with the table
