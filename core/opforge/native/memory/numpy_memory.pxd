# NumPy's arrays in memory of the pool: worth it from POOLED bytes on, where a fresh block costs page faults.

cdef enum:
    POOLED = 1 << 16

cdef object use_pool()                 # NumPy arrays of this thread come from the pool until `restore`; what to pass to it
cdef int restore(object former) except -1
