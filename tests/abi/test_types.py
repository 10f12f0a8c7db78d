"""Element types of the interface are DLPack's, as arrays export them."""

import ctypes
import re
import subprocess

import pytest

import opforge
from opforge import nd
from opforge.base.dtypes import NAMES
from opforge.native.abi.table import DTYPES


class DLTensor(ctypes.Structure):
    """DLPack's description of an array, up to its type."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("dtype", ctypes.c_uint32),
    ]


_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = ctypes.c_void_p
_pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]


@pytest.mark.parametrize(("code", "name"), list(enumerate(NAMES)))
def test_types_are_those_of_dlpack(code, name):
    capsule = nd.zeros((3,), dtype=name).__dlpack__()
    exported = DLTensor.from_address(_pointer_of(capsule, b"dltensor"))
    assert DTYPES[code] == exported.dtype
    assert (exported.device_type, exported.ndim) == (1, 1)


PROGRAM = r"""
#include <opforge/abi.h>
static void show(opforge_dtype type) {
    printf("%s %d %d %d %d\n", opforge_dtype_name(type), opforge_dtype_code(type),
           opforge_dtype_bits(type), opforge_dtype_lanes(type), (int)opforge_item_size(type));
}
int main(void) {
    show(OPFORGE_BFLOAT16);
    show(OPFORGE_FLOAT8_E4M3FN);
    show(OPFORGE_FLOAT8_E5M2FNUZ);
    show(OPFORGE_FLOAT8_E8M0FNU);
    show(OPFORGE_INT64);
    show(OPFORGE_DTYPE(OPFORGE_CODE_UINT, 4, 3));
    return opforge_dtype_lanes(OPFORGE_UNKNOWN) != 65535;
}
"""


def test_code_bits_and_lanes(c_compiler, tmp_path):
    program = tmp_path / "types"
    subprocess.run(
        [
            *c_compiler,
            "-Wall",
            "-Werror",
            f"-I{opforge.get_include()}",
            "-x",
            "c",
            "-",
            "-o",
            program,
        ],
        input=PROGRAM.encode(),
        check=True,
    )
    shown = subprocess.run([program], capture_output=True, check=True, text=True).stdout
    assert shown.splitlines() == [
        "bfloat16 4 16 1 2",
        "float8_e4m3fn 10 8 1 1",
        "float8_e5m2fnuz 13 8 1 1",
        "float8_e8m0fnu 14 8 1 1",
        "int64 0 64 1 8",
        "another type 1 4 3 2",
    ]


def test_numba_has_a_constant_for_each_type():
    pytest.importorskip("numba")
    from opforge.op.abi import _numba

    constants = {name: getattr(_numba, name) for name in _numba.__all__ if re.match("[A-Z]", name)}
    del constants["SIGNATURE"]
    assert constants == {name.upper(): packed for name, packed in zip(NAMES, DTYPES, strict=True)}
