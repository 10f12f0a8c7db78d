# The table of functions that plugins call.

from opforge.native.abi.frame cimport Frame

cdef void open_frame(Frame* frame) noexcept nogil          # an empty call, with the table
