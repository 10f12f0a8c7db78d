# Type codes in DLPack capsules, for types that NumPy neither exports nor imports.

cdef enum:
    DLPACK_UINT = 1
    DLPACK_BFLOAT = 4

# Replace the type code of the elements if it is `given`; return whether it was.
cdef bint change_type(object capsule, int given, int wanted) except -1
