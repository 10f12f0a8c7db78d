"""Compilation of sources against opforge's headers, and calls of their functions."""

import ctypes
import subprocess

import numpy as np

import opforge
from opforge.base.instruction_sets import ISA_FLAGS

WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-Wno-pass-failed"]
INCLUDE = f"-I{opforge.get_include()}"


def compile_source(source, command, *options):
    """Compile with all warnings as errors."""
    command = [*command, "-O2", *WARNINGS, INCLUDE, *options, "-"]
    subprocess.run(command, input=source.encode(), check=True)


def load_source(source, compiler, isa, folder):
    """Return the library of a C source that is compiled for an instruction set of this machine."""
    target = folder / f"{isa}.so"
    options = ["-std=c11", "-fPIC", "-shared", "-x", "c", *ISA_FLAGS[isa], "-o", target]
    compile_source(source, compiler, *options)
    return ctypes.CDLL(str(target))


def call(function, *arguments):
    """Call with addresses of arrays and 64-bit integers."""
    function(
        *(
            a.ctypes.data_as(ctypes.c_void_p) if isinstance(a, np.ndarray) else ctypes.c_int64(a)
            for a in arguments
        )
    )
