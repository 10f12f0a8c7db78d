# Element types, and how a result meets what its destination holds: the codes that every room knows.

cdef enum:
    MAX_NDIM = 32

# Codes of base/dtypes.py.
cdef enum:
    F32 = 0
    F64 = 1
    F16 = 2
    U8 = 3
    I32 = 4
    I8 = 5
    I64 = 6
    BOOL = 7
    N_DTYPES = 8

# How a result meets what its destination holds; same order as MXNet's OpReqType.
cdef enum:
    REQ_NULL = 0
    REQ_WRITE = 1
    REQ_INPLACE = 2
    REQ_ADD = 3

cdef extern from *:
    """
    static const Py_ssize_t opforge_itemsizes[8] = {4, 8, 2, 1, 4, 1, 8, 1};
    """
    const Py_ssize_t* opforge_itemsizes


# Bytes of an element.
cdef inline Py_ssize_t itemsize_of(int code) noexcept nogil:
    return opforge_itemsizes[code]
