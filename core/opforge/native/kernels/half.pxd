# float16 and bfloat16 in memory. Opaque, so that fused types distinguish them from float; loaded and stored as float.

cdef extern from "opforge_half.h" nogil:
    ctypedef struct half "opforge_half":
        pass
    ctypedef struct brain "opforge_brain":
        pass
    float half_load "opforge_half_load"(half x)
    half half_store "opforge_half_store"(float x)
    float brain_load "opforge_brain_load"(brain x)
