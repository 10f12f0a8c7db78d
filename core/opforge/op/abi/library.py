"""Sources of an operator's C functions: a module's capsule, or addresses."""

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from ...base.errors import PluginError
from ...native.abi.table import LIBRARY, ForeignOperator, foreign_operator, read_library

__all__ = ["NativeFunctions", "find_operator", "functions"]

#: What all of them derive from.
_CTYPES_FUNCTION: Any = ctypes.CFUNCTYPE(None).__base__


@dataclass(frozen=True)
class NativeFunctions:
    """The addresses of one operator's functions; made by `functions`.

    Parameters
    ----------
    addresses : mapping of str to int
    random : bool
        Whether the operator draws random numbers.
    wanted : bool
        Whether ``backward`` computes the wanted gradients alone.
    keep : tuple
        What keeps the functions alive.
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
    """Return the functions of an operator that come without a library: of Numba or ctypes.

    Parameters
    ----------
    forward : Numba cfunc, ctypes function or int
        A C function ``int32_t (opforge_call*)``, or its address.
    backward, infer, complete, plan, unplan, create, destroy : optional
        The same.
    random : bool, default False
        Whether the operator draws random numbers.
    wanted : bool, default False
        Whether `backward` leaves out the gradients that are not wanted: their arrays have no data.

    Returns
    -------
    NativeFunctions
        For the ``library`` of a `NativeOperator`.

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


def find_operator(library: Any, name: str) -> ForeignOperator:
    """Return the functions of the operator `name`.

    Parameters
    ----------
    library : module, PyCapsule or NativeFunctions
        A module has the capsule as its attribute ``opforge_library``.
    name : str

    Raises
    ------
    PluginError
        There is no such library, it was built for another version of the interface, it contradicts
        itself, or it has no such operator.
    """
    if isinstance(library, NativeFunctions):
        return foreign_operator(
            name, "native.functions", library.addresses, library.random, library.wanted, library
        )
    source, capsule = "a capsule", library
    if isinstance(library, ModuleType):
        source = library.__name__
        capsule = getattr(library, LIBRARY, None)
        if capsule is None:
            raise PluginError(
                f"{source} has no attribute {LIBRARY}; its init adds it with PyModule_AddObject("
                "module, OPFORGE_LIBRARY, PyCapsule_New(&library, OPFORGE_LIBRARY, NULL))"
            )
    found = read_library(capsule, source)
    if name not in found:
        raise PluginError(
            f"{source} has no operator {name!r} in its library; it has {', '.join(found)}"
        )
    operator: ForeignOperator = found[name]
    return operator
