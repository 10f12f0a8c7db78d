"""Instruction sets that native code is compiled for, and their compiler flags.

The build of the core reads this file before opforge can be imported, so it imports nothing of it.
"""

import os
import platform

__all__ = ["ISA_FLAGS", "MATH_FLAGS", "built_sets"]

#: Flags of each instruction set, from the oldest to the newest.
ISA_FLAGS: dict[str, list[str]] = (
    {
        "baseline": ["-march=x86-64-v2"],
        "x86_64_v3": ["-march=x86-64-v3"],
        "x86_64_v4": ["-march=x86-64-v4", "-mprefer-vector-width=512"],
    }
    if platform.machine().lower() in {"x86_64", "amd64"}
    else {"baseline": []}
)

#: No -ffast-math: it breaks inf and nan. The first two let elementwise loops vectorize; the last is
#: for buffers that kernels read under another type.
MATH_FLAGS = ["-fno-math-errno", "-fno-trapping-math", "-fno-strict-aliasing"]


def built_sets() -> dict[str, list[str]]:
    """Return the flags of the instruction sets to build: all, or those of OPFORGE_BUILD_ISA."""
    names = [name for name in os.environ.get("OPFORGE_BUILD_ISA", "").split(",") if name]
    unknown = sorted(set(names) - set(ISA_FLAGS))
    if unknown:
        raise SystemExit(f"OPFORGE_BUILD_ISA: {unknown} are unknown; choose from {list(ISA_FLAGS)}")
    return {name: ISA_FLAGS[name] for name in names or ISA_FLAGS}
