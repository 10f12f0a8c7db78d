"""`ArrayFunctions`: functions of MXNet's C library for arrays and their handles.

A handle is an array or the result of ``ctypes.cast(array, NDArrayHandle)``. The handles that these
functions return refer to their array and keep it alive.
"""

import ctypes
from typing import Any

from opforge import ndarray as nd
from opforge.base.errors import OpforgeError
from opforge.ndarray import NDArray
from opforge.ndarray.ctypes_handles import array_of, handle_of

__all__ = ["ArrayFunctions", "write"]

_CAPSULE = b"dltensor"
_USED_CAPSULE = b"used_dltensor"
_api = ctypes.pythonapi
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)
_set_name = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_SetName", _api)
)


def write(reference: Any, value: Any) -> int:
    """Write to the target of ``ctypes.byref`` or ``ctypes.pointer``; return 0, for success."""
    _target(reference).value = value
    return 0


def _target(reference: Any) -> Any:
    return reference._obj if hasattr(reference, "_obj") else reference.contents


class ArrayFunctions:
    """Functions for arrays, with the names, arguments and return values of C functions."""

    def MXNDArrayWaitToRead(self, handle: Any) -> int:
        """Wait until the array can be read."""
        _array(handle).wait_to_read()
        return 0

    def MXNDArrayWaitToWrite(self, handle: Any) -> int:
        """Wait until the array can be written."""
        _array(handle).wait_to_write()
        return 0

    def MXNDArrayGetContext(self, handle: Any, out_dev_type: Any, out_dev_id: Any) -> int:
        """Write the type and the number of the array's device."""
        context = _array(handle).context
        return write(out_dev_type, context.device_typeid) or write(out_dev_id, context.device_id)

    def MXShallowCopyNDArray(self, src: Any, out: Any) -> int:
        """Write a handle of an array that shares the memory of another one."""
        array = _array(src)
        return _write_handle(out, array.reshape(array.shape))

    def MXNDArrayFree(self, handle: Any) -> int:
        """Release the array of a handle that one of these functions returned."""
        vars(handle).pop("array", None)
        return 0

    def MXNDArrayFromDLPack(self, dlpack: Any, out: Any) -> int:
        """Write a handle of an array that shares and owns the tensor at an address."""
        address = getattr(dlpack, "value", dlpack)
        return _write_handle(out, nd.from_dlpack(_api.PyCapsule_New(address, _CAPSULE, None)))

    def MXNDArrayToDLPack(self, handle: Any, out_dlpack: Any) -> int:
        """Write the address of a tensor that shares the array's memory; its receiver deletes it."""
        capsule = _array(handle).to_dlpack_for_write()
        address = _get_pointer(capsule, _CAPSULE)
        _set_name(capsule, _USED_CAPSULE)  # the capsule no longer deletes the tensor
        return write(out_dlpack, address)

    def MXNDArrayCallDLPackDeleter(self, dlpack: Any) -> int:
        """Delete a tensor that `MXNDArrayToDLPack` returned."""
        self.MXNDArrayFromDLPack(dlpack, ctypes.byref(ctypes.c_void_p()))
        return 0


def _array(handle: Any) -> NDArray:
    array = handle if isinstance(handle, NDArray) else array_of(handle)
    if array is None:
        raise OpforgeError(
            f"a function of base._LIB got {handle!r}; expected an NDArray, or "
            "ctypes.cast(array, NDArrayHandle) of one that exists"
        )
    return array


def _write_handle(reference: Any, array: NDArray) -> int:
    target = _target(reference)
    target.array = array  # the table of handles does not keep arrays alive
    target.value = handle_of(array).value
    return 0
