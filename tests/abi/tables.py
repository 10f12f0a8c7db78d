"""The interface's tables in ctypes, including ones that no compiler would accept."""

import ctypes
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char_p,
    c_int32,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
    py_object,
)

FUNCTION = CFUNCTYPE(c_int32, c_void_p)


class Head(Structure):
    _fields_ = [("struct_size", c_uint32), ("major", c_uint16), ("minor", c_uint16)]


class Operator(Structure):
    _fields_ = [
        ("head", Head),
        ("name", c_char_p),
        *((name, c_void_p) for name in ("create", "destroy", "infer", "complete")),
        *((name, c_void_p) for name in ("plan", "unplan", "forward", "backward")),
        ("flags", c_uint64),
        ("device_type", c_int32),
        ("reserved", c_int32),
    ]


class Library(Structure):
    _fields_ = [
        ("head", Head),
        ("operators", POINTER(POINTER(Operator))),
        ("n_operators", c_int32),
        ("reserved", c_int32),
    ]


@FUNCTION
def nothing(call):
    return 0


ADDRESS = ctypes.cast(nothing, c_void_p).value
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = py_object
_new_capsule.argtypes = [c_void_p, c_char_p, c_void_p]
_kept = []


def operator(name=b"ctypes_op", version=(2, 0), size=None, **fields):
    """Return an operator's table with a forward function."""
    size = ctypes.sizeof(Operator) if size is None else size
    fields.setdefault("forward", ADDRESS)
    return Operator(Head(size, *version), name, **fields)


def library(*operators, version=(2, 0), size=None, count=None):
    """Return a library; None makes a NULL operator."""
    pointers = [ctypes.pointer(o) if o is not None else POINTER(Operator)() for o in operators]
    table = (POINTER(Operator) * max(len(pointers), 1))(*pointers)
    _kept.append((table, operators))
    size = ctypes.sizeof(Library) if size is None else size
    count = len(operators) if count is None else count
    return Library(Head(size, *version), ctypes.cast(table, POINTER(POINTER(Operator))), count, 0)


def capsule(made, name=b"opforge_library"):
    """Return a capsule with a pointer to a library."""
    _kept.append((made, name))
    return _new_capsule(ctypes.addressof(made), name, None)
