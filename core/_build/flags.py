"""Compiler flags: one set an instruction set, and the debug and sanitizer switches.

Environment
-----------
OPFORGE_DEBUG=1
    Bounds checks, no optimisation, debug symbols.
OPFORGE_SANITIZE=address|thread
    Build with that sanitizer (GCC or Clang).
"""

import os
import platform

IS_X86_64 = platform.machine().lower() in {"x86_64", "amd64"}

#: Instruction sets of the kernels, worst first; `opforge.native.isa` chooses among them at import.
ISA_FLAGS: dict[str, list[str]] = (
    {
        "baseline": ["-march=x86-64-v2"],
        "x86_64_v3": ["-march=x86-64-v3"],
        "x86_64_v4": ["-march=x86-64-v4", "-mprefer-vector-width=512"],
    }
    if IS_X86_64
    else {"baseline": []}
)

DEBUG = os.environ.get("OPFORGE_DEBUG") == "1"
SANITIZE = os.environ.get("OPFORGE_SANITIZE", "")

# No -ffast-math: it breaks inf and nan. The first two let elementwise loops vectorise; the last is
# for buffers that kernels read under another type.
_MATH = ["-fno-math-errno", "-fno-trapping-math", "-fno-strict-aliasing"]


def compile_flags() -> list[str]:
    """Return the flags that every native module is compiled with."""
    flags = ["-O0", "-g"] if DEBUG else ["-O3", "-g0", "-fvisibility=hidden"]
    flags += [*_MATH, "-Wno-unused-function", "-Wno-unreachable-code"]
    if SANITIZE:
        flags += [f"-fsanitize={SANITIZE}", "-fno-omit-frame-pointer", "-g"]
    return flags


def link_flags() -> list[str]:
    """Return the flags that every native module is linked with."""
    return [f"-fsanitize={SANITIZE}"] if SANITIZE else []


def directives() -> dict[str, object]:
    """Return the Cython directives of the whole core; no file sets its own."""
    return {
        "language_level": 3,
        "boundscheck": DEBUG,
        "wraparound": False,
        "initializedcheck": DEBUG,
        "cdivision": True,
        "embedsignature": True,
        "embedsignature.format": "python",
        "freethreading_compatible": False,
    }
