"""Memory of devices other than the CPU, which only functions of the plugins that provide them access."""

from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from opforge.abi cimport OPFORGE_CPU, opforge_device, opforge_memory

from opforge.native.memory.buffer cimport Buffer

from opforge.base.errors import ContextError, NativeError, OutOfMemoryError

__all__ = ["synchronize_all"]

cdef const opforge_memory* memories[MAX_TYPE + 1]


cdef const opforge_memory* memory_of(int device_type) noexcept nogil:
    return memories[device_type] if 0 <= device_type <= MAX_TYPE else NULL


cdef int set_memory(const opforge_memory* memory) except -1:
    if not OPFORGE_CPU < memory.device_type <= MAX_TYPE:
        raise ContextError(
            f"a device has DLPack's type {memory.device_type}, expected {OPFORGE_CPU + 1} to {MAX_TYPE}"
        )
    memories[memory.device_type] = memory
    return 0


cdef opforge_device device_of(Buffer buffer) noexcept nogil:
    cdef opforge_device device
    device.type, device.id = OPFORGE_CPU, 0
    if buffer is not None and buffer.memory != NULL:
        device.type, device.id = buffer.memory.device_type, buffer.device_id
    return device


cdef str message_of(const opforge_memory* memory):
    """Return the device's message for the last failure."""
    cdef const char* text = NULL if memory.last_error == NULL else memory.last_error()
    return "no reason given" if text == NULL else (<bytes>text).decode("utf-8", "replace")


cdef Buffer allocate_on(const opforge_memory* memory, int device_id, Py_ssize_t nbytes):
    cdef Buffer result = Buffer.__new__(Buffer)
    cdef opforge_device device
    device.type, device.id = memory.device_type, device_id
    if not 0 <= device_id < memory.n_devices:
        raise ContextError(
            f"there is no device {device_id} of DLPack's type {memory.device_type}: their ids are 0 to "
            f"{memory.n_devices - 1}"
        )
    result.data = <char*>memory.allocate(device, max(nbytes, <Py_ssize_t>1))
    if result.data == NULL:
        raise OutOfMemoryError(
            f"cannot allocate {nbytes} bytes on device {device_id} of DLPack's type "
            f"{memory.device_type}: {message_of(memory)}"
        )
    result.nbytes = nbytes
    result.memory, result.device_id = memory, device_id
    return result


cdef int expect_done(const opforge_memory* memory, int32_t status, str what) except -1:
    """Raise the error of a function that failed."""
    if status:
        raise NativeError(
            f"{what} failed on a device of DLPack's type {memory.device_type}: {message_of(memory)}"
        )
    return 0


cdef int copy_bytes(Buffer target, char* y, Buffer source, const char* x, Py_ssize_t nbytes) except -1:
    cdef opforge_device to = device_of(target), origin = device_of(source)
    cdef const opforge_memory* memory = memory_of(origin.type if to.type == OPFORGE_CPU else to.type)
    cdef char* between
    cdef int32_t status
    if nbytes == 0:
        return 0
    if to.type == origin.type or to.type == OPFORGE_CPU or origin.type == OPFORGE_CPU:
        with nogil:
            status = memory.copy(to, y, origin, x, nbytes)
        return expect_done(memory, status, f"copying {nbytes} bytes")
    between = <char*>malloc(nbytes)
    if between == NULL:
        raise OutOfMemoryError(f"cannot allocate {nbytes} bytes for a copy between two devices")
    try:
        copy_bytes(None, between, source, x, nbytes)
        copy_bytes(target, y, None, between, nbytes)
    finally:
        free(between)
    return 0


cdef int wait_for(const opforge_memory* memory, opforge_device device) except -1:
    """Wait for all work enqueued on a device."""
    cdef int32_t status
    with nogil:
        status = memory.synchronize(device)
    return expect_done(memory, status, "waiting for the end of its work")


cdef int synchronize(Buffer buffer) except -1:
    return 0 if buffer.memory == NULL else wait_for(buffer.memory, device_of(buffer))


cdef void* stream_of(opforge_device device) noexcept nogil:
    cdef const opforge_memory* memory = memory_of(device.type)
    return NULL if memory == NULL or memory.stream == NULL else memory.stream(device)


def synchronize_all():
    """Wait for all work enqueued on devices other than the CPU."""
    cdef opforge_device device
    for kind in range(MAX_TYPE + 1):
        if memories[kind] == NULL:
            continue
        for number in range(memories[kind].n_devices):
            device.type, device.id = kind, number
            wait_for(memories[kind], device)
