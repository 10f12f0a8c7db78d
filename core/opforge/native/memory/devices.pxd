# Memory of devices other than the CPU, by the functions of the plugins that provide them.

from opforge.abi cimport opforge_device, opforge_memory

from opforge.native.memory.buffer cimport Buffer

cdef enum:
    MAX_TYPE = 63                      # largest of DLPack's types of devices

cdef const opforge_memory* memory_of(int device_type) noexcept nogil   # NULL: no plugin was loaded that provides it
cdef int set_memory(const opforge_memory* memory) except -1            # `memory` must never change
cdef Buffer allocate_on(const opforge_memory* memory, int device_id, Py_ssize_t nbytes)   # uninitialized

# Copies bytes; NULL for the buffer of memory of the CPU. One at least is a device's. Complete if one is the CPU's.
cdef int copy_bytes(Buffer target, char* y, Buffer source, const char* x, Py_ssize_t nbytes) except -1
cdef opforge_device device_of(Buffer buffer) noexcept nogil            # the CPU 0 for its memory
cdef int synchronize(Buffer buffer) except -1                          # waits for the work enqueued on its device
cdef void* stream_of(opforge_device device) noexcept nogil             # NULL on the CPU and without streams
