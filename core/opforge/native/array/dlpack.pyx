"""Exchange of bfloat16 by DLPack: NumPy handles the capsule as one of uint16.

The structures are those of DLPack's specification, version 1.
"""

cimport numpy as cnp
from cpython.pycapsule cimport PyCapsule_CheckExact, PyCapsule_GetPointer, PyCapsule_IsValid

from opforge.base import dtypes as _dtypes

import numpy as np

cnp.import_array()

cdef extern from *:
    """
    #include <stdint.h>

    typedef struct {
        void* data;
        int32_t device_type, device_id;
        int32_t ndim;
        uint8_t code, bits;
        uint16_t lanes;
        int64_t* shape;
        int64_t* strides;
        uint64_t byte_offset;
    } opforge_dl_tensor;

    typedef struct {
        uint32_t major, minor;
        void* context;
        void (*deleter)(void*);
        uint64_t flags;
        opforge_dl_tensor tensor;
    } opforge_dl_versioned;
    """
    ctypedef struct opforge_dl_tensor:
        unsigned char code, bits
        unsigned short lanes
    ctypedef struct opforge_dl_versioned:
        opforge_dl_tensor tensor


cdef bint change_type(object capsule, int given, int wanted) except -1:
    cdef opforge_dl_tensor* tensor
    if PyCapsule_IsValid(capsule, "dltensor_versioned"):
        tensor = &(<opforge_dl_versioned*>PyCapsule_GetPointer(capsule, "dltensor_versioned")).tensor
    else:
        tensor = <opforge_dl_tensor*>PyCapsule_GetPointer(capsule, "dltensor")
    if tensor.code != given or tensor.bits != 16 or tensor.lanes != 1:
        return False
    tensor.code = wanted
    return True


cdef class NumpySource:
    """Object with the methods that `numpy.from_dlpack` calls; presents bfloat16 as uint16.

    Parameters
    ----------
    source : object with ``__dlpack__``, or a DLPack capsule
    """

    cdef object source
    cdef bint is_bfloat16

    def __init__(self, source):
        self.source = source

    def __dlpack__(self, **options):
        exports = getattr(self.source, "__dlpack__", None)
        capsule = self.source if exports is None else exports(**options)
        self.is_bfloat16 = change_type(capsule, DLPACK_BFLOAT, DLPACK_UINT)
        return capsule

    def __dlpack_device__(self):
        find = getattr(self.source, "__dlpack_device__", None)
        return (1, 0) if find is None else find()


def numpy_from_dlpack(source):
    """Return a NumPy array that shares the memory of another library's array, or of a capsule.

    NumPy takes the tensor of an unversioned capsule, which cannot say whether it may be written,
    for read-only. The caller of this function gives a capsule away, so its tensor is writable, as in
    MXNet and PyTorch.

    Examples
    --------
    >>> numpy_from_dlpack(np.arange(3)).tolist()
    [0, 1, 2]
    """
    cdef NumpySource presented = NumpySource(source)
    cdef bint given_away = PyCapsule_CheckExact(source) and PyCapsule_IsValid(source, "dltensor")
    found = np.from_dlpack(presented)
    if given_away:
        cnp.PyArray_ENABLEFLAGS(found, cnp.NPY_ARRAY_WRITEABLE)
    return found.view(_dtypes.dtype_of(_dtypes.code_of("bfloat16"))) if presented.is_bfloat16 else found
