"""Read the tables of C functions that a plugin hands over, and refuse what cannot be right.

A table is copied as far as the plugin's version knows it; what came later is NULL. What can be checked
is: the capsule, sizes, versions, counts, names. That a pointer points to a function cannot.
"""

cimport cython
from cpython.pycapsule cimport PyCapsule_CheckExact, PyCapsule_GetName, PyCapsule_GetPointer
from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t, uintptr_t
from libc.string cimport memcpy, memset, strcmp
from opforge.abi cimport (
    OPFORGE_ABI_MAJOR, OPFORGE_ABI_MINOR, OPFORGE_LIBRARY, OPFORGE_RANDOM, OPFORGE_WANTED,
    opforge_function, opforge_head, opforge_library, opforge_operator,
)

from opforge.base.errors import PluginError
from opforge.base.version import VERSION

__all__ = ["LIBRARY", "ForeignOperator", "foreign_operator", "read_library"]

cdef extern from "stddef.h" nogil:
    size_t OPERATOR_1_0 "offsetof(opforge_operator, flags)"
    size_t OPERATOR_1_1 "offsetof(opforge_operator, complete)"

cdef extern from "string.h" nogil:
    size_t strnlen(const char* text, size_t most)

cdef enum:
    MAX_OPERATORS = 4096               # more in one module are a mistake
    MAX_NAME = 255
    MAX_TABLE = 65536                  # bytes

#: Name of the capsule, and of the attribute that a plugin's module has it under.
LIBRARY = (<bytes>OPFORGE_LIBRARY).decode()
FUNCTIONS = (
    "create", "destroy", "infer", "complete", "plan", "unplan", "forward", "backward",
)


@cython.final
cdef class ForeignOperator:
    """The C functions of one operator; made by `read_library` and `foreign_operator`."""

    @property
    def has_infer(self):
        """Whether shapes and types are inferred by a C function."""
        return self.table.infer != NULL

    @property
    def has_complete(self):
        """Whether a C function completes shapes and types of inputs, outputs and states."""
        return self.table.complete != NULL

    @property
    def has_backward(self):
        """Whether there is a gradient in C."""
        return self.table.backward != NULL

    @property
    def draws_random(self):
        """Whether the operator says that it draws random numbers."""
        return bool(self.table.flags & OPFORGE_RANDOM)

    @property
    def version(self):
        """(major, minor) of the interface that the operator was built for."""
        return self.table.head.major, self.table.head.minor

    def __repr__(self):
        return f"<native operator {self.name!r} of {self.source}>"


cdef int expect_version(str source, uint16_t major, uint16_t minor) except -1:
    """Refuse another major version and a newer minor one."""
    cdef str text = f"{source} was built for version {major}.{minor} of opforge's native interface"
    cdef str ours = f"opforge {VERSION} has {OPFORGE_ABI_MAJOR}.{OPFORGE_ABI_MINOR}"
    if major != OPFORGE_ABI_MAJOR:
        older = major < OPFORGE_ABI_MAJOR
        raise PluginError(
            f"{text}, {ours}: {'upgrade the plugin' if older else 'upgrade opforge'}, or rebuild it "
            "against the abi.h of this opforge"
        )
    if minor > OPFORGE_ABI_MINOR:
        raise PluginError(
            f"{text}, {ours}: upgrade opforge (pip install --upgrade opforge), or rebuild the plugin "
            f"with OPFORGE_TARGET_MINOR={OPFORGE_ABI_MINOR}"
        )
    return 0


cdef int expect_size(str what, uint32_t size, size_t least) except -1:
    """Refuse a table that is too small for its version, or absurd."""
    if size < least or size > MAX_TABLE:
        raise PluginError(
            f"{what} says that it has {size} bytes, expected {least} to {MAX_TABLE}; begin it with "
            "OPFORGE_HEAD of its own type"
        )
    return 0


cdef str name_of(str source, Py_ssize_t position, const char* text):
    """The name of an operator in a table."""
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
            f"{source}: the name of operator {position} of its library is no UTF-8"
        ) from None


cdef ForeignOperator read_operator(str source, Py_ssize_t position, const opforge_operator* given):
    """A copy of one operator's table, after every check."""
    cdef ForeignOperator made = ForeignOperator.__new__(ForeignOperator)
    cdef opforge_head head
    if given == NULL:
        raise PluginError(f"{source}: operator {position} of its library is NULL")
    memcpy(&head, given, sizeof(head))
    expect_version(source, head.major, head.minor)
    expect_size(
        f"{source}: the table of operator {position}", head.struct_size,
        known_bytes(head.minor),
    )
    memset(&made.table, 0, sizeof(opforge_operator))
    memcpy(&made.table, given, known_bytes(head.minor))
    made.name = name_of(source, position, made.table.name)
    made.source = source
    if made.table.forward == NULL:
        raise PluginError(f"{source}: the operator {made.name!r} has no forward function")
    expect_flags(made, head.minor)
    if made.table.unplan != NULL and made.table.plan == NULL:
        raise PluginError(f"{source}: the operator {made.name!r} has unplan, but no plan function")
    return made


cdef int expect_flags(ForeignOperator made, uint16_t minor) except -1:
    """Refuse flags that the operator's version does not have."""
    cdef uint64_t known = OPFORGE_RANDOM | (OPFORGE_WANTED if minor >= 2 else 0)
    if made.table.flags & ~known:
        names = f"OPFORGE_RANDOM ({OPFORGE_RANDOM:#x})"
        if minor >= 2:
            names += f", OPFORGE_WANTED ({OPFORGE_WANTED:#x})"
        raise PluginError(
            f"{made.source}: the operator {made.name!r} has the flags {made.table.flags:#x}, expected "
            f"{names} or 0"
        )
    return 0


cdef size_t known_bytes(uint16_t minor):
    """Bytes of an operator's table in version 1.`minor`: what follows them means nothing there."""
    if minor < 2:
        return OPERATOR_1_1 if minor else OPERATOR_1_0
    return sizeof(opforge_operator)


def read_library(capsule, str source not None):
    """Return the operators of a plugin's library.

    Parameters
    ----------
    capsule : PyCapsule
    source : str
        The plugin's module, for messages.

    Returns
    -------
    dict of str to ForeignOperator

    Raises
    ------
    PluginError
        It is no such capsule, was built for another version, or contradicts itself.
    """
    cdef const char* name
    cdef opforge_library library
    cdef const opforge_library* given
    cdef opforge_head head
    cdef ForeignOperator made
    cdef int32_t position
    if not PyCapsule_CheckExact(capsule):
        raise PluginError(
            f"{source}: {LIBRARY} is {capsule!r:.80}, expected a PyCapsule of the name {LIBRARY!r}"
        )
    name = PyCapsule_GetName(capsule)
    if name == NULL or strcmp(name, OPFORGE_LIBRARY) != 0:
        shown = "no name" if name == NULL else f"the name {name[:strnlen(name, MAX_NAME)]!r}"
        raise PluginError(
            f"{source}: its capsule has {shown}, expected {LIBRARY!r}; make it with "
            "PyCapsule_New(&library, OPFORGE_LIBRARY, NULL)"
        )
    given = <const opforge_library*>PyCapsule_GetPointer(capsule, OPFORGE_LIBRARY)
    memcpy(&head, given, sizeof(head))
    expect_version(source, head.major, head.minor)
    expect_size(f"{source}: its library", head.struct_size, sizeof(library))
    memcpy(&library, given, sizeof(library))
    if not 1 <= library.n_operators <= MAX_OPERATORS:
        raise PluginError(
            f"{source}: its library says that it has {library.n_operators} operators, expected 1 to "
            f"{MAX_OPERATORS}"
        )
    if library.operators == NULL:
        raise PluginError(f"{source}: the operators of its library are NULL")
    found = {}
    for position in range(library.n_operators):
        made = read_operator(source, position, library.operators[position])
        made.keep = capsule
        if made.name in found:
            raise PluginError(f"{source}: its library has the operator {made.name!r} twice")
        found[made.name] = made
    return found


def foreign_operator(
    str name not None, str source not None, functions, bint random, bint wanted, keep
):
    """Return an operator made of the addresses of C functions.

    Parameters
    ----------
    name, source : str
    functions : dict of str to int
        Addresses of ``forward`` and, as far as there are any, the other functions.
    random : bool
        Whether it draws random numbers.
    wanted : bool
        Whether its ``backward`` computes the wanted gradients alone.
    keep : object
        What keeps the functions alive.
    """
    cdef ForeignOperator made = ForeignOperator.__new__(ForeignOperator)
    cdef opforge_operator* table = &made.table
    unknown = sorted(set(functions) - set(FUNCTIONS))
    if unknown or not functions.get("forward"):
        raise PluginError(
            f"{source}: the operator {name!r} is given the functions {', '.join(functions)}; "
            f"expected forward and, if there are any, others of {', '.join(FUNCTIONS)}"
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
    table.flags = (OPFORGE_RANDOM if random else 0) | (OPFORGE_WANTED if wanted else 0)
    made.name, made.source, made.keep = name, source, keep
    return made
