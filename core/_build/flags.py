"""Compiler flags: one set for each instruction set, and the debug and sanitizer switches.

Environment
-----------
OPFORGE_DEBUG=1
    Bounds checks, no optimization, debug symbols.
OPFORGE_SANITIZE=address,undefined|address|undefined|thread
    Build with these sanitizers (GCC or Clang); docs/howto/sanitize.md describes them.
OPFORGE_BUILD_ISA=NAME,...
    Compile the kernels for these instruction sets only; OPFORGE_ISA then has to name one of them.
"""

import importlib.util
import os
from pathlib import Path
from types import ModuleType


def _load_shared_flags() -> ModuleType:
    """Return the module of flags shared with plugins, loaded by path: opforge is not built yet."""
    path = Path(__file__).parents[1] / "opforge" / "base" / "instruction_sets.py"
    spec = importlib.util.spec_from_file_location("instruction_sets", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_SHARED = _load_shared_flags()
#: The instruction sets of this build, worst first; `opforge.native.kernels.isa` chooses among them.
BUILT_ISA_FLAGS: dict[str, list[str]] = _SHARED.built_sets()

DEBUG = os.environ.get("OPFORGE_DEBUG") == "1"
SANITIZE = os.environ.get("OPFORGE_SANITIZE", "")


def variant() -> str:
    """Return a name for the debug and sanitizer switches; empty for an ordinary build."""
    return "-".join([*(["debug"] if DEBUG else []), *filter(None, SANITIZE.split(","))])


def compile_flags() -> list[str]:
    """Return the flags that every native module is compiled with."""
    # Warnings concern generated code and cost 7 % of the time; a debug build shows them.
    flags = ["-O0", "-g"] if DEBUG else ["-O3", "-g0", "-w", "-fvisibility=hidden"]
    flags += [*_SHARED.MATH_FLAGS, "-Wno-unused-function", "-Wno-unreachable-code"]
    return flags + _sanitizer_flags()


def _sanitizer_flags() -> list[str]:
    """Return the checks; with light optimization, so that reports name the right line."""
    if not SANITIZE:
        return []
    flags = [f"-fsanitize={SANITIZE}", "-fno-omit-frame-pointer", "-O1", "-g1"]
    if "undefined" in SANITIZE:
        # CPython's own flags include -fwrapv, under which a signed overflow is not reported.
        flags += ["-fno-wrapv", "-fsanitize=float-cast-overflow"]
    return flags


def link_flags() -> list[str]:
    """Return the flags that every native module is linked with."""
    return [f"-fsanitize={SANITIZE}"] if SANITIZE else []


def directives() -> dict[str, object]:
    """Return the Cython directives of the whole core; no file sets its own."""
    return {
        "language_level": 3,
        # Checks indices into lists and tuples; kernels index raw memory, which is never checked.
        "boundscheck": True,
        "wraparound": False,
        "initializedcheck": DEBUG,
        "cdivision": True,
        # Classes that can be pickled define `__reduce__`. Cython would generate it for each class,
        # correct or not, which makes the wheel 5 % larger.
        "auto_pickle": False,
        "embedsignature": True,
        "embedsignature.format": "python",
        "freethreading_compatible": False,
    }
