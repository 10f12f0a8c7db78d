# Conversions and copies of elements; codes are element types of memory/types.pxd.

# Converts `n` elements without allocating; returns nonzero if a type does not exist. `y` may be `x` if the
# types have the same size.
cdef int run_cast(int from_code, int to_code, const void* x, void* y, Py_ssize_t n) noexcept nogil
# Converts or copies elements; the caller holds the GIL, which is released for large arrays. No overlap.
cdef void copy_elements(int from_code, int to_code, const char* source, char* target, Py_ssize_t size) noexcept
