"""Devices: `Context`, `cpu`, `gpu`, and the current context of a thread."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from .context_variables import assign
from .errors import ContextError
from .integers import as_integer

__all__ = [
    "HOST_TYPES",
    "Context",
    "add_device_type",
    "are_apart",
    "cpu",
    "cpu_pinned",
    "current_context",
    "find_device",
    "gpu",
    "num_gpus",
    "set_current_context",
    "set_device_finder",
]

#: Type numbers of contexts whose memory belongs to the CPU. Those of other contexts are DLPack's.
HOST_TYPES = frozenset({1, 3, 5})

# Contexts of this thread's open `with` blocks. A ContextVar reads in 30 ns, an unset
# threading.local in 600.
open_contexts: ContextVar[tuple["Context", ...]] = ContextVar("opforge_contexts", default=())


class _DefaultContext(type):
    """Metaclass of `Context` with the older spelling of `current_context`, ``default_ctx``."""

    @property
    def default_ctx(cls) -> "Context":
        """The current context of this thread; assignment changes the innermost one."""
        return current_context()

    @default_ctx.setter
    def default_ctx(cls, context: "Context") -> None:
        if not isinstance(context, Context):
            raise TypeError(f"default_ctx must be a Context such as cpu(), got {context!r:.60}")
        assign(open_contexts, (*open_contexts.get()[:-1], context))


class Context(metaclass=_DefaultContext):
    """A device, usable as a ``with`` block that makes it the thread's default.

    Parameters
    ----------
    device_type : str or Context
        ``"cpu"``, ``"gpu"``, ``"cpu_pinned"``, ``"cpu_shared"``, or a device of a plugin.
    device_id : int, default 0
        Distinct ids of ``cpu`` are distinct devices that share the machine's memory.

    Raises
    ------
    ContextError
        `device_type` is unknown.

    Examples
    --------
    >>> Context("cpu", 1)
    cpu(1)
    """

    devtype2str = {1: "cpu", 2: "gpu", 3: "cpu_pinned", 5: "cpu_shared"}
    devstr2type = {name: code for code, name in devtype2str.items()}

    __slots__ = ("device_id", "device_typeid")
    device_id: int
    device_typeid: int

    def __init__(self, device_type: "str | Context", device_id: int = 0) -> None:
        if isinstance(device_type, Context):
            self.device_typeid, self.device_id = device_type.device_typeid, device_type.device_id
            return
        if device_type not in self.devstr2type:
            find_device(device_type)
        if device_type not in self.devstr2type:
            known = sorted(self.devstr2type)
            raise ContextError(
                f"device type {device_type!r} is unknown; expected one of {known}, or a device of "
                "an installed plugin"
            )
        self.device_typeid = self.devstr2type[device_type]
        self.device_id = as_integer(device_id, "device_id of Context")

    @property
    def device_type(self) -> str:
        """Name of the device type."""
        return self.devtype2str[self.device_typeid]

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Context)
            and self.device_typeid == other.device_typeid
            and self.device_id == other.device_id
        )

    def __hash__(self) -> int:
        return hash((self.device_typeid, self.device_id))

    def __repr__(self) -> str:
        return f"{self.device_type}({self.device_id})"

    def __enter__(self) -> "Context":
        assign(open_contexts, (*open_contexts.get(), self))
        return self

    def __exit__(self, *exc: object) -> None:
        assign(open_contexts, open_contexts.get()[:-1])

    def __reduce__(self) -> tuple[Any, ...]:
        return Context, (self.device_type, self.device_id)

    def empty_cache(self) -> None:
        """Do nothing; only devices with their own memory have a cache."""


_CPUS = tuple(Context("cpu", i) for i in range(16))


def are_apart(one: Context, other: Context) -> bool:
    """Return whether two contexts are different devices; an operator rejects inputs from both.

    Pinned and shared memory belong to the CPU, as in MXNet.

    Examples
    --------
    >>> are_apart(cpu(0), cpu(1)), are_apart(cpu(0), cpu_pinned(0))
    (True, False)
    """
    kinds = {0 if c.device_typeid in HOST_TYPES else c.device_typeid for c in (one, other)}
    return len(kinds) > 1 or one.device_id != other.device_id


def cpu(device_id: int = 0) -> Context:
    """Return the CPU context with this id."""
    return _CPUS[device_id] if 0 <= device_id < len(_CPUS) else Context("cpu", device_id)


def cpu_pinned(device_id: int = 0) -> Context:
    """Return a context of pinned memory, which is ordinary CPU memory here."""
    return Context("cpu_pinned", device_id)


def gpu(device_id: int = 0) -> Context:
    """Return a GPU context; arrays on it need a plugin that provides the device."""
    return Context("gpu", device_id)


def num_gpus() -> int:
    """Return the number of usable GPUs, 0 without a plugin that provides them."""
    find_device("gpu")
    return _counts.get(Context.devstr2type["gpu"], 0)


#: Number of devices by type, of types that plugins provide.
_counts: dict[int, int] = {}


def _find_nothing(name: str) -> None:
    """Stand for the finder until the layer of plugins sets it."""


_finder: Callable[[str], None] = _find_nothing


def set_device_finder(finder: Callable[[str], None]) -> None:
    """Set the function that loads the plugin of a device, given the name of its contexts."""
    global _finder
    _finder = finder


def find_device(name: str) -> None:
    """Load the plugin that provides a device, if one is installed and not loaded yet."""
    _finder(name)


def add_device_type(name: str, number: int, count: int) -> None:
    """Make contexts of a new type, or a count of devices of a known one.

    Parameters
    ----------
    name : str
        Name of the contexts.
    number : int
        DLPack's type of the device.
    count : int
        Number of devices.

    Raises
    ------
    ContextError
        The name or the number belongs to another type.
    """
    known = Context.devtype2str.get(number, name), Context.devstr2type.get(name, number)
    if known != (name, number) or number in HOST_TYPES:
        raise ContextError(
            f"device {name!r} has DLPack's type {number}, but {known[0]!r} has this number, or "
            f"{name!r} has the number {known[1]}; contexts of the CPU have {sorted(HOST_TYPES)}"
        )
    Context.devtype2str[number], Context.devstr2type[name] = name, number
    _counts[number] = count


def current_context() -> Context:
    """Return the context of the innermost ``with`` block of this thread, else ``cpu(0)``."""
    stack = open_contexts.get()
    return stack[-1] if stack else _CPUS[0]


def set_current_context(ctx: Context) -> None:
    """Set the current context until the enclosing ``with`` block ends."""
    assign(open_contexts, (*open_contexts.get()[:-1], ctx))
