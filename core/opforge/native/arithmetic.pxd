# Arithmetic: which kernel computes an operation on an element type, in which type, and what that costs.

from opforge.native.kernels.convert cimport opforge_convert_table
from opforge.native.kernels.elementwise cimport opforge_binary_fn, opforge_elementwise_table, opforge_unary_fn

cdef struct Arithmetic:
    int op
    int code                           # of the elements
    int wide                           # the element type that is computed in
    Py_ssize_t size                    # of an element
    opforge_unary_fn unary             # one of the two
    opforge_binary_fn binary
    Py_ssize_t grain                   # elements that are worth 5 us of one thread (parallel.pxd)
    bint waits                         # for memory, not for the processor

cdef opforge_elementwise_table* kernel_table
cdef opforge_convert_table* converters
cdef Py_ssize_t[8] SIZES               # of an element, by its code

# Nonzero: there is no such operation or element type.
cdef int choose_unary(Arithmetic* how, int op, int code) noexcept nogil
cdef int choose_binary(Arithmetic* how, int op, int code) noexcept nogil
# The same for one operand `value`, which is written to `scalar` (8 bytes) in the type that is computed in.
cdef int choose_binary_scalar(Arithmetic* how, int op, int code, double value, void* scalar) noexcept nogil
# A grain of elements of `size` bytes that are only moved or converted.
cdef Py_ssize_t moving_grain(Py_ssize_t size) noexcept nogil
