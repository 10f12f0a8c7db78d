"""Devices: DLPack's numbers of contexts, names for messages, and `Device`, declared by plugins."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from ...base.context import HOST_TYPES, Context, add_device_type
from ...native.abi.memories import MEMORY, add_memory
from ...native.abi.table import CPU, LIBRARY, ForeignOperator, read_library
from ..registry.naming import normalize
from ..registry.table import TABLES
from .library import find_capsule

__all__ = [
    "Device",
    "add_device",
    "device_of",
    "find_device",
    "forget_devices",
    "kernel_of",
    "type_names",
]


class Device:
    """Base class of declarations of devices: their memory, and kernels for operators of others.

    A plugin names the declaration in the entry point group ``opforge.devices``, under the name of
    its contexts. It is loaded when a program first uses such a context. C functions provide the
    memory and the kernels; ``opforge/abi.h`` in `opforge.get_include()` documents them.

    Operators of plugins that know the device need no entry in `kernels`: their libraries have
    tables for its type. An operator without a kernel raises an error, unless it is composed of
    other operators, is written in Python, or has no inputs: the last is computed by the CPU.

    Examples
    --------
    >>> class Accelerator(Device):
    ...     '''Accelerators of one vendor.'''
    ...
    ...     name = "accelerator"
    ...     # memory = _native
    ...     # kernels = {"opforge": _core_kernels, "opforge-dense": _dense_kernels}
    """

    #: Name of the contexts, as in ``Context("accelerator", 0)``.
    name: ClassVar[str] = ""
    #: Extension module with the capsule ``opforge_memory``, or the capsule itself.
    memory: ClassVar[Any] = None
    #: Libraries with kernels for operators of other distributions, by distribution.
    kernels: ClassVar[Mapping[str, Any]] = {}


#: Kernels of a type of device: (normalized distribution, operator) -> functions.
_kernels: dict[int, dict[tuple[str, str], ForeignOperator]] = {}
_loaded: set[str] = set()


def add_device(declaration: type[Device]) -> None:
    """Register the memory and the kernels of a device, and its contexts.

    Raises
    ------
    PluginError, ContextError
        The declaration, or one of its capsules, is invalid.
    """
    number, count = add_memory(*find_capsule(declaration.memory, MEMORY))
    add_device_type(declaration.name, number, count)
    kernels = {}
    for distribution, library in declaration.kernels.items():
        for (name, kind), made in read_library(*find_capsule(library, LIBRARY)).items():
            if kind == number:
                kernels[normalize(distribution), name] = made
    _kernels[number] = kernels


def find_device(name: str) -> None:
    """Load the plugin that provides the device `name`, once."""
    if name in _loaded:
        return
    entry = TABLES["device"].find(name)
    if entry is not None:
        add_device(entry.prop_class)
        _loaded.add(name)


def forget_devices() -> None:
    """Load the declarations of devices again when their contexts are next made, for tests."""
    _loaded.clear()
    _kernels.clear()


def kernel_of(device_type: int, provider: str, name: str) -> ForeignOperator | None:
    """Return the functions that a device's plugin has for an operator of another distribution."""
    return _kernels.get(device_type, {}).get((normalize(provider), name))


def device_of(context: Any) -> tuple[int, int]:
    """Return DLPack's type and id of the device of a context.

    Examples
    --------
    >>> device_of(Context("cpu_pinned")), device_of(Context("gpu", 1))
    ((1, 0), (2, 1))
    """
    kind = context.device_typeid
    return (CPU if kind in HOST_TYPES else kind), context.device_id


def type_names(types: Iterable[int]) -> str:
    """Return the names of types of devices for a message.

    Examples
    --------
    >>> type_names([1, 2, 99])
    'cpu, gpu, DLPack device type 99'
    """
    return ", ".join(Context.devtype2str.get(kind, f"DLPack device type {kind}") for kind in types)
