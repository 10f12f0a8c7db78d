"""Registration of the memory of devices, from the capsules of the plugins that provide them."""

from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid
from opforge.abi cimport OPFORGE_MEMORY, opforge_memory

from opforge.native.abi.table cimport expect_size, expect_version
from opforge.native.memory.devices cimport set_memory

from opforge.base.errors import PluginError

__all__ = ["MEMORY", "add_memory"]

#: Name of the capsule, and of the module attribute that holds it.
MEMORY = (<bytes>OPFORGE_MEMORY).decode()

cdef list capsules = []                # kept alive, because arrays refer to their tables


def add_memory(capsule, str source not None):
    """Register the memory of a type of device; return DLPack's number of the type and the number of devices.

    Parameters
    ----------
    capsule : PyCapsule
    source : str
        The plugin's module, for messages.

    Raises
    ------
    PluginError
        The capsule is invalid, was built for an incompatible version, or lacks a function.
    ContextError
        The type of device is that of a CPU, or too large.
    """
    cdef const opforge_memory* memory
    if not PyCapsule_IsValid(capsule, OPFORGE_MEMORY):
        raise PluginError(
            f"{source}: {MEMORY} is {capsule!r:.80}, expected a PyCapsule named {MEMORY!r}"
        )
    memory = <const opforge_memory*>PyCapsule_GetPointer(capsule, OPFORGE_MEMORY)
    expect_version(source, memory.head.major, memory.head.minor)
    expect_size(f"{source}: its memory", memory.head.struct_size, sizeof(opforge_memory))
    if (
        memory.allocate == NULL or memory.release == NULL or memory.copy == NULL
        or memory.synchronize == NULL
    ):
        raise PluginError(
            f"{source}: its memory lacks allocate, release, copy or synchronize; define all four"
        )
    if memory.n_devices < 0:
        raise PluginError(f"{source}: n_devices is {memory.n_devices}, expected 0 or more")
    set_memory(memory)
    capsules.append(capsule)
    return memory.device_type, memory.n_devices
