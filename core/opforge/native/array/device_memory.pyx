"""Memory for arrays on the device of a context."""

from opforge.abi cimport opforge_memory

from opforge.native.memory.buffer cimport Buffer, allocate
from opforge.native.memory.devices cimport allocate_on, memory_of

from opforge.base import context as _contexts
from opforge.base.context import HOST_TYPES as _HOST_TYPES, Context as _Context
from opforge.base.errors import ContextError

cdef object last_context = None        # the last one with memory of the CPU; usually the next one too


cdef const opforge_memory* memory_for(object context) except? NULL:
    """Return the memory of the device of `context`, NULL for the CPU; reject devices without one."""
    global last_context
    cdef const opforge_memory* memory
    if not isinstance(context, _Context):
        raise TypeError(f"a context must be a Context such as cpu(), got {context!r:.60}")
    if context.device_typeid in _HOST_TYPES:
        last_context = context
        return NULL
    memory = memory_of(context.device_typeid)
    if memory == NULL:
        _contexts.find_device(context.device_type)
        memory = memory_of(context.device_typeid)
    if memory == NULL:
        missing = "GPU support is disabled in this build" if context.device_type == "gpu" else "it is missing"
        raise ContextError(
            f"cannot allocate on {context!r}: {missing}: no installed plugin provides the device "
            f"{context.device_type!r}; use cpu()"
        )
    return memory


cdef bint has_host_memory(object context) except -1:
    return context is last_context or memory_for(context) == NULL


cdef Buffer new_buffer(Py_ssize_t nbytes, object context):
    """Return uninitialized memory of the device of `context`."""
    cdef const opforge_memory* memory = NULL
    if context is not last_context:
        memory = memory_for(context)
    return allocate(nbytes) if memory == NULL else allocate_on(memory, context.device_id, nbytes)
