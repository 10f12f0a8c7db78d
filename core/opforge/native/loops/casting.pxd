# Elements from one type to another, and copies of them; `code` is an element type of memory/types.pxd.

# Without the GIL; no allocation; nonzero result: there is no such type. `y` may be `x` where the types are
# of one size.
cdef int run_cast(int from_code, int to_code, const void* x, void* y, Py_ssize_t n) noexcept nogil
# The same, or a plain copy, with the GIL, which is released where it is worth it; no overlap.
cdef void copy_elements(int given, int code, const char* source, char* target, Py_ssize_t size) noexcept
