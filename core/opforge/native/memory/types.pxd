# Codes used by all packages: element types, and write requests.

cdef enum:
    MAX_NDIM = 32

# Codes of the table of element types, base/dtypes.py; a test compares them.
cdef enum:
    F32 = 0
    F64 = 1
    F16 = 2
    U8 = 3
    I32 = 4
    I8 = 5
    I64 = 6
    BOOL = 7
    BF16 = 8
    N_DTYPES = 9

# How a result is combined with the contents of its destination; same values as MXNet's OpReqType.
cdef enum:
    REQ_NULL = 0
    REQ_WRITE = 1
    REQ_INPLACE = 2
    REQ_ADD = 3

cdef extern from *:
    """
    /* Element types, indexed by code: bytes of an element, and DLPack's code, bits and lanes packed as in
       abi.h's opforge_dtype. */
    #define OPFORGE_ELEMENT_TYPE(dlpack_code, bits) {(bits) / 8, 1 << 16 | (bits) << 8 | (dlpack_code)}
    static const struct { int itemsize; int dtype; } opforge_element_types[] = {
        OPFORGE_ELEMENT_TYPE(2, 32),   /* float32 */
        OPFORGE_ELEMENT_TYPE(2, 64),   /* float64 */
        OPFORGE_ELEMENT_TYPE(2, 16),   /* float16 */
        OPFORGE_ELEMENT_TYPE(1, 8),    /* uint8 */
        OPFORGE_ELEMENT_TYPE(0, 32),   /* int32 */
        OPFORGE_ELEMENT_TYPE(0, 8),    /* int8 */
        OPFORGE_ELEMENT_TYPE(0, 64),   /* int64 */
        OPFORGE_ELEMENT_TYPE(6, 8),    /* bool */
        OPFORGE_ELEMENT_TYPE(4, 16),   /* bfloat16 */
    };
    """
    ctypedef struct ElementType:
        int itemsize
        int dtype
    const ElementType* opforge_element_types


# Bytes of an element.
cdef inline Py_ssize_t itemsize_of(int code) noexcept nogil:
    return opforge_element_types[code].itemsize


# Whether elements are floats of 16 bits, which are computed in float32.
cdef inline bint is_half(int code) noexcept nogil:
    return code == F16 or code == BF16


cdef inline bint is_float(int code) noexcept nogil:
    return code == F32 or code == F64 or is_half(code)
