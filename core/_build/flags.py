"""Compiler flags: one set an instruction set, and the debug and sanitizer switches.

Environment
-----------
OPFORGE_DEBUG=1
    Bounds checks, no optimisation, debug symbols.
OPFORGE_SANITIZE=address,undefined|address|undefined|thread
    Build with these sanitizers (GCC or Clang); docs/howto/sanitize.md says how such a build is run.
OPFORGE_BUILD_ISA=NAME,...
    Compile the kernels for these instruction sets alone; OPFORGE_ISA then has to name one of them.
"""

import os
import platform

IS_X86_64 = platform.machine().lower() in {"x86_64", "amd64"}

#: Instruction sets of the kernels, worst first; `opforge.native.kernels.isa` chooses among them at import.
ISA_FLAGS: dict[str, list[str]] = (
    {
        "baseline": ["-march=x86-64-v2"],
        "x86_64_v3": ["-march=x86-64-v3"],
        "x86_64_v4": ["-march=x86-64-v4", "-mprefer-vector-width=512"],
    }
    if IS_X86_64
    else {"baseline": []}
)


def _chosen_sets() -> dict[str, list[str]]:
    names = [name for name in os.environ.get("OPFORGE_BUILD_ISA", "").split(",") if name]
    unknown = sorted(set(names) - set(ISA_FLAGS))
    if unknown:
        raise SystemExit(f"OPFORGE_BUILD_ISA: {unknown} are unknown; choose from {list(ISA_FLAGS)}")
    return {name: ISA_FLAGS[name] for name in names or ISA_FLAGS}


#: The instruction sets of this build.
BUILT_ISA_FLAGS = _chosen_sets()

DEBUG = os.environ.get("OPFORGE_DEBUG") == "1"
SANITIZE = os.environ.get("OPFORGE_SANITIZE", "")

# No -ffast-math: it breaks inf and nan. The first two let elementwise loops vectorise; the last is
# for buffers that kernels read under another type.
_MATH = ["-fno-math-errno", "-fno-trapping-math", "-fno-strict-aliasing"]


def compile_flags() -> list[str]:
    """Return the flags that every native module is compiled with."""
    flags = ["-O0", "-g"] if DEBUG else ["-O3", "-g0", "-fvisibility=hidden"]
    flags += [*_MATH, "-Wno-unused-function", "-Wno-unreachable-code"]
    return flags + _sanitizer_flags()


def _sanitizer_flags() -> list[str]:
    """Return the checks; light optimisation, for reports that name the true line."""
    if not SANITIZE:
        return []
    flags = [f"-fsanitize={SANITIZE}", "-fno-omit-frame-pointer", "-O1", "-g1"]
    if "undefined" in SANITIZE:
        # CPython's own flags bring -fwrapv, under which a signed overflow is no finding.
        flags += ["-fno-wrapv", "-fsanitize=float-cast-overflow"]
    return flags


def link_flags() -> list[str]:
    """Return the flags that every native module is linked with."""
    return [f"-fsanitize={SANITIZE}"] if SANITIZE else []


def directives() -> dict[str, object]:
    """Return the Cython directives of the whole core; no file sets its own."""
    return {
        "language_level": 3,
        # An index into a list or tuple is checked; kernels index raw memory, which no check covers.
        "boundscheck": True,
        "wraparound": False,
        "initializedcheck": DEBUG,
        "cdivision": True,
        "embedsignature": True,
        "embedsignature.format": "python",
        "freethreading_compatible": False,
    }
