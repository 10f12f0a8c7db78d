# Pool memory for NumPy's arrays; worthwhile from POOLED bytes on, where a fresh block costs page faults.

cdef enum:
    POOLED = 1 << 16

cdef object use_pool()                 # make NumPy arrays of this thread use the pool; returns the argument of `restore`
cdef int restore(object former) except -1
cdef bytes token_memory()              # memory for the token of one ContextVar.set, reserved while it lives
