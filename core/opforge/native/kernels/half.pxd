# float16 in memory: opaque here, so that fused types tell it from float; loaded and stored as float.

cdef extern from "opforge_half.h" nogil:
    ctypedef struct half "opforge_half":
        pass
    float half_load "opforge_half_load"(half x)
    half half_store "opforge_half_store"(float x)
