"""Lookup of an operator's C functions in the capsule of a module, or by addresses."""

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from ...base.errors import PluginError
from ...native.abi.table import LIBRARY, ForeignOperator, foreign_operator, read_library

__all__ = ["NativeFunctions", "find_capsule", "find_operators", "functions"]

#: Base class of all ctypes functions.
_CTYPES_FUNCTION: Any = ctypes.CFUNCTYPE(None).__base__


@dataclass(frozen=True)
class NativeFunctions:
    """Addresses of an operator's functions; created by `functions`.

    Parameters
    ----------
    addresses : mapping of str to int
    random : bool
        Whether the operator draws random numbers.
    wanted : bool
        Whether ``backward`` computes only the requested gradients.
    keep : tuple
        References that keep the functions alive.
    """

    addresses: Mapping[str, int]
    random: bool = False
    wanted: bool = False
    keep: tuple[Any, ...] = field(default=(), repr=False)


def functions(
    *,
    forward: Any,
    backward: Any = None,
    infer: Any = None,
    complete: Any = None,
    plan: Any = None,
    unplan: Any = None,
    create: Any = None,
    destroy: Any = None,
    random: bool = False,
    wanted: bool = False,
) -> NativeFunctions:
    """Return the functions of an operator on the CPU without a library, from Numba or ctypes.

    Parameters
    ----------
    forward : Numba cfunc, ctypes function or int
        A C function ``int32_t (opforge_call*)``, or its address.
    backward, infer, complete, plan, unplan, create, destroy : optional
        The same.
    random : bool, default False
        Whether the operator draws random numbers.
    wanted : bool, default False
        Whether `backward` skips gradients that are not requested; their arrays have no data.

    Returns
    -------
    NativeFunctions
        Value for the ``library`` of a `NativeOperator`.

    Examples
    --------
    >>> import ctypes
    >>> @ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
    ... def forward(call):
    ...     return 0
    >>> list(functions(forward=forward).addresses)
    ['forward']
    """
    given = {
        "forward": forward,
        "backward": backward,
        "infer": infer,
        "complete": complete,
        "plan": plan,
        "unplan": unplan,
        "create": create,
        "destroy": destroy,
    }
    addresses = {name: _address(name, f) for name, f in given.items() if f is not None}
    return NativeFunctions(addresses, random, wanted, tuple(given.values()))


def _address(name: str, function: Any) -> int:
    address = getattr(function, "address", function)  # Numba's
    if isinstance(function, _CTYPES_FUNCTION):
        address = ctypes.cast(function, ctypes.c_void_p).value or 0
    if not isinstance(address, int) or isinstance(address, bool) or address <= 0:
        raise PluginError(
            f"native.functions: {name} is {function!r:.80}, expected a Numba cfunc, a ctypes "
            "function or the address of a C function"
        )
    return address


def find_capsule(source: Any, attribute: str) -> tuple[Any, str]:
    """Return the capsule in an attribute of a module, and the module's name for messages.

    Parameters
    ----------
    source : module or PyCapsule
        A capsule is returned itself.
    attribute : str
        ``"opforge_library"`` or ``"opforge_memory"``, which is also the name of the capsule.

    Raises
    ------
    PluginError
        The module does not have the attribute.
    """
    if not isinstance(source, ModuleType):
        return source, "a capsule"
    capsule = getattr(source, attribute, None)
    if capsule is None:
        table, constant = attribute.removeprefix("opforge_"), attribute.upper()
        raise PluginError(
            f"{source.__name__} has no attribute {attribute}; its init adds it with "
            f"PyModule_AddObject(module, {constant}, PyCapsule_New(&{table}, {constant}, NULL))"
        )
    return capsule, source.__name__


def find_operators(library: Any, name: str) -> dict[int, ForeignOperator]:
    """Return the functions of the operator `name` for each type of device that it supports.

    Parameters
    ----------
    library : module, PyCapsule or NativeFunctions
        A module holds the capsule in its attribute ``opforge_library``.
    name : str

    Returns
    -------
    dict of int to ForeignOperator
        By DLPack's type of device, the CPU first if present.

    Raises
    ------
    PluginError
        The library is missing, was built for another version of the interface, is inconsistent,
        or does not have the operator.
    """
    if isinstance(library, NativeFunctions):
        made = foreign_operator(
            name, "native.functions", library.addresses, library.random, library.wanted, library
        )
        return {made.device_type: made}
    capsule, source = find_capsule(library, LIBRARY)
    table = read_library(capsule, source)
    found = {device: made for (known, device), made in sorted(table.items()) if known == name}
    if not found:
        names = dict.fromkeys(known for known, _ in table)
        raise PluginError(
            f"{source} has no operator {name!r} in its library; it has {', '.join(names)}"
        )
    return found
