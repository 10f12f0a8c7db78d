"""Reading and validation of the tables of C functions that plugins provide.

An operator has a table for each type of device that it supports. The capsule, sizes, versions, counts and
names are checked; whether a pointer points to a function cannot be.
"""

cimport cython
from cpython.pycapsule cimport PyCapsule_CheckExact, PyCapsule_GetName, PyCapsule_GetPointer
from libc.stdint cimport int32_t, uint16_t, uint32_t, uintptr_t
from libc.string cimport memcpy, memset, strcmp
from opforge.abi cimport (
    OPFORGE_ABI_MAJOR, OPFORGE_ABI_MINOR, OPFORGE_CPU, OPFORGE_LIBRARY, OPFORGE_RANDOM, OPFORGE_WANTED,
    opforge_function, opforge_head, opforge_library, opforge_operator,
)

from opforge.native.abi.dtypes cimport dtype_of
from opforge.native.memory.types cimport N_DTYPES

from opforge.base.errors import PluginError
from opforge.base.version import VERSION

__all__ = ["CPU", "DTYPES", "LIBRARY", "ForeignOperator", "foreign_operator", "read_library"]

cdef extern from "string.h" nogil:
    size_t strnlen(const char* plugin_version, size_t most)

cdef enum:
    MAX_OPERATORS = 4096               # per module; more indicate an error
    MAX_NAME = 255
    MAX_TABLE = 65536                  # bytes

#: DLPack's type of the CPU.
CPU = int(OPFORGE_CPU)
#: The interface's element types, indexed by code.
DTYPES = tuple([dtype_of(code) for code in range(N_DTYPES)])
#: Name of the capsule, and of the module attribute that holds it.
LIBRARY = (<bytes>OPFORGE_LIBRARY).decode()
FUNCTIONS = (
    "create", "destroy", "infer", "complete", "plan", "unplan", "forward", "backward",
)


@cython.final
cdef class ForeignOperator:
    """C functions of one operator on one type of device, made by `read_library` and `foreign_operator`."""

    @property
    def has_infer(self):
        """True if a C function infers shapes and types."""
        return self.table.infer != NULL

    @property
    def has_complete(self):
        """True if a C function completes shapes and types of inputs, outputs and states."""
        return self.table.complete != NULL

    @property
    def has_backward(self):
        """True if a C function computes the gradient."""
        return self.table.backward != NULL

    @property
    def draws_random(self):
        """True if the operator declares that it draws random numbers."""
        return bool(self.table.flags & OPFORGE_RANDOM)

    @property
    def device_type(self):
        """DLPack's type of the devices that the functions run on."""
        return self.table.device_type

    @property
    def version(self):
        """Version (major, minor) of the interface that the operator was built for."""
        return self.table.head.major, self.table.head.minor

    def __repr__(self):
        return f"<native operator {self.name!r} of {self.source}>"


cdef int expect_version(str source, uint16_t major, uint16_t minor) except -1:
    """Reject another major version and a newer minor version."""
    cdef str versions = (
        f"{source} was built for version {major}.{minor} of opforge's native interface, expected "
        f"{OPFORGE_ABI_MAJOR}.{OPFORGE_ABI_MINOR}, the version of opforge {VERSION}"
    )
    if major < OPFORGE_ABI_MAJOR:
        raise PluginError(f"{versions}: upgrade the plugin, or rebuild it against this opforge")
    if major > OPFORGE_ABI_MAJOR:
        raise PluginError(f"{versions}: upgrade opforge, or rebuild the plugin against this opforge")
    if minor > OPFORGE_ABI_MINOR:
        raise PluginError(
            f"{versions}: upgrade opforge (pip install --upgrade opforge), or rebuild the plugin with "
            f"OPFORGE_TARGET_MINOR={OPFORGE_ABI_MINOR}"
        )
    return 0


cdef int expect_size(str name, uint32_t size, size_t min_size) except -1:
    """Reject a table whose size is too small for its version or implausibly large."""
    if size < min_size or size > MAX_TABLE:
        raise PluginError(
            f"{name} has a struct_size of {size} bytes, expected {min_size} to {MAX_TABLE}; initialize its "
            "head with OPFORGE_HEAD and its type"
        )
    return 0


cdef str name_of(str source, Py_ssize_t position, const char* text):
    """Return the name of an operator in a table."""
    if text == NULL:
        raise PluginError(f"{source}: operator {position} of its library has no name")
    cdef size_t size = strnlen(text, MAX_NAME + 1)
    if size == 0 or size > MAX_NAME:
        raise PluginError(
            f"{source}: the name of operator {position} of its library is empty or longer than "
            f"{MAX_NAME} bytes"
        )
    try:
        return text[:size].decode("utf-8")
    except UnicodeDecodeError:
        raise PluginError(
            f"{source}: the name of operator {position} of its library is not valid UTF-8"
        ) from None


cdef ForeignOperator read_operator(str source, Py_ssize_t position, const opforge_operator* table):
    """Return a copy of one operator's table after validating it."""
    cdef ForeignOperator op = ForeignOperator.__new__(ForeignOperator)
    cdef opforge_head head
    if table == NULL:
        raise PluginError(f"{source}: operator {position} of its library is NULL")
    memcpy(&head, table, sizeof(head))
    expect_version(source, head.major, head.minor)
    expect_size(f"{source}: the table of operator {position}", head.struct_size, sizeof(opforge_operator))
    memcpy(&op.table, table, sizeof(opforge_operator))
    op.name = name_of(source, position, op.table.name)
    op.source = source
    if op.table.device_type == 0:
        op.table.device_type = OPFORGE_CPU
    if op.table.device_type < 0:
        raise PluginError(
            f"{source}: the operator {op.name!r} has the device_type {op.table.device_type}, expected a "
            "type of DLPack's such as OPFORGE_CPU"
        )
    if op.table.forward == NULL:
        raise PluginError(f"{source}: the operator {op.name!r} has no forward function")
    if op.table.flags & ~(OPFORGE_RANDOM | OPFORGE_WANTED):
        raise PluginError(
            f"{source}: the operator {op.name!r} has the flags {op.table.flags:#x}, expected "
            f"OPFORGE_RANDOM ({OPFORGE_RANDOM:#x}), OPFORGE_WANTED ({OPFORGE_WANTED:#x}) or 0"
        )
    if op.table.unplan != NULL and op.table.plan == NULL:
        raise PluginError(f"{source}: the operator {op.name!r} has an unplan but no plan function")
    return op


def read_library(capsule, str source not None):
    """Return the operators of a plugin's library by name and DLPack's type of device.

    Parameters
    ----------
    capsule : PyCapsule
    source : str
        The plugin's module, for messages.

    Returns
    -------
    dict of (str, int) to ForeignOperator

    Raises
    ------
    PluginError
        The capsule is invalid, was built for an incompatible version, or its tables are inconsistent.
    """
    cdef const char* name
    cdef opforge_library library
    cdef const opforge_library* table
    cdef opforge_head head
    cdef ForeignOperator op
    cdef int32_t position
    if not PyCapsule_CheckExact(capsule):
        raise PluginError(
            f"{source}: {LIBRARY} is {capsule!r:.80}, expected a PyCapsule named {LIBRARY!r}"
        )
    name = PyCapsule_GetName(capsule)
    if name == NULL or strcmp(name, OPFORGE_LIBRARY) != 0:
        actual = "no name" if name == NULL else f"the name {name[:strnlen(name, MAX_NAME)]!r}"
        raise PluginError(
            f"{source}: its capsule has {actual}, expected {LIBRARY!r}; create it with "
            "PyCapsule_New(&library, OPFORGE_LIBRARY, NULL)"
        )
    table = <const opforge_library*>PyCapsule_GetPointer(capsule, OPFORGE_LIBRARY)
    memcpy(&head, table, sizeof(head))
    expect_version(source, head.major, head.minor)
    expect_size(f"{source}: its library", head.struct_size, sizeof(library))
    memcpy(&library, table, sizeof(library))
    if not 1 <= library.n_operators <= MAX_OPERATORS:
        raise PluginError(
            f"{source}: its library declares {library.n_operators} operators, expected 1 to "
            f"{MAX_OPERATORS}"
        )
    if library.operators == NULL:
        raise PluginError(f"{source}: the operators of its library are NULL")
    operators = {}
    for position in range(library.n_operators):
        op = read_operator(source, position, library.operators[position])
        op.keep = capsule
        key = op.name, op.device_type
        if key in operators:
            raise PluginError(
                f"{source}: its library has the operator {op.name!r} twice for the device type {op.device_type}"
            )
        operators[key] = op
    return operators


def foreign_operator(
    str name not None, str source not None, functions, bint random, bint wanted, keep
):
    """Return an operator on the CPU, given the addresses of its C functions.

    Parameters
    ----------
    name, source : str
    functions : dict of str to int
        Addresses of ``forward`` and, optionally, the other functions.
    random : bool
        Whether the operator draws random numbers.
    wanted : bool
        Whether its ``backward`` can compute only the wanted gradients.
    keep : object
        Object that keeps the functions alive.
    """
    cdef ForeignOperator op = ForeignOperator.__new__(ForeignOperator)
    cdef opforge_operator* table = &op.table
    unknown = sorted(set(functions) - set(FUNCTIONS))
    if unknown or not functions.get("forward"):
        raise PluginError(
            f"{source}: the operator {name!r} has the functions {', '.join(functions)}; expected forward "
            f"and optionally others of {', '.join(FUNCTIONS)}"
        )
    memset(table, 0, sizeof(opforge_operator))
    table.head.struct_size = sizeof(opforge_operator)
    table.head.major, table.head.minor = OPFORGE_ABI_MAJOR, OPFORGE_ABI_MINOR
    table.create = <opforge_function><uintptr_t>functions.get("create", 0)
    table.destroy = <opforge_function><uintptr_t>functions.get("destroy", 0)
    table.infer = <opforge_function><uintptr_t>functions.get("infer", 0)
    table.forward = <opforge_function><uintptr_t>functions["forward"]
    table.backward = <opforge_function><uintptr_t>functions.get("backward", 0)
    table.complete = <opforge_function><uintptr_t>functions.get("complete", 0)
    table.plan = <opforge_function><uintptr_t>functions.get("plan", 0)
    table.unplan = <opforge_function><uintptr_t>functions.get("unplan", 0)
    table.device_type = OPFORGE_CPU
    table.flags = (OPFORGE_RANDOM if random else 0) | (OPFORGE_WANTED if wanted else 0)
    op.name, op.source, op.keep = name, source, keep
    return op
