"""Compiler and loader of kernel sources; each distinct source is compiled only once.

The system's C++ compiler is used, because kernels for CUDA are C++ as well: `abs` of a float is a
float, and casts behave the same.
"""

import ctypes
import functools
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from opforge.base.errors import OpforgeError

from .source import ENTRY, Parameter, check_body, kernel_source

__all__ = ["compile_kernel"]

#: Without -ffast-math, so that NaN and infinity keep their meaning, as everywhere in opforge.
_FLAGS = ("-std=gnu++14", "-O3", "-fno-math-errno", "-fPIC", "-shared", "-w")


def compile_kernel(
    name: str, parameters: tuple[Parameter, ...], body: str
) -> Callable[[Sequence[Any], Sequence[int], Sequence[int]], None]:
    """Return a function of (NumPy arrays, grid, block) that runs a kernel's body.

    Raises
    ------
    OpforgeError
        No C++ compiler is found, or it rejects the body.
    """
    check_body(name, body)
    body_file = f"{name}.cu"
    source = kernel_source(name, parameters, body_file)
    entry = _library(name, source, body, _compiler(name))

    def run(arrays: Sequence[Any], grid: Sequence[int], block: Sequence[int]) -> None:
        pointers = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
        entry(pointers, (ctypes.c_uint * 3)(*grid), (ctypes.c_uint * 3)(*block))

    return run


def _compiler(kernel: str) -> tuple[str, ...]:
    """Return the compiler command: that of CXX, or the first usual one that is installed."""
    wanted = shlex.split(os.environ.get("CXX", ""))
    for command in [wanted] if wanted else [["c++"], ["g++"], ["clang++"]]:
        if shutil.which(command[0]):
            return tuple(command)
    tried = wanted[0] if wanted else "c++, g++, clang++"
    raise OpforgeError(
        f"rtc kernel {kernel!r} needs a C++ compiler, but none was found ({tried}). Install "
        "one, for example with `apt install g++`, set CXX, or pass a Python function for Numba"
    )


@functools.cache
def _library(name: str, source: str, body: str, compiler: tuple[str, ...]) -> Any:
    """Compile and load a source; the library stays loaded until the process ends."""
    with tempfile.TemporaryDirectory(prefix="opforge-rtc-") as folder:
        Path(folder, f"{name}.cu").write_text(body + "\n", encoding="utf-8")
        # Not an identifier, so that it differs from the name of any kernel.
        Path(folder, "opforge-rtc.cpp").write_text(source, encoding="utf-8")
        command = [*compiler, *_FLAGS, "-o", "kernel.so", "opforge-rtc.cpp"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise OpforgeError(
                f"rtc kernel {name!r} does not compile ({compiler[0]}, status {done.returncode}):\n"
                f"{done.stderr.strip()}"
            )
        entry = getattr(ctypes.CDLL(str(Path(folder, "kernel.so"))), ENTRY)
    entry.restype = None
    return entry
