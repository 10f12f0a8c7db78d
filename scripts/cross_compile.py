"""Cross-compile the native sources of core and plugins for other systems.

    python scripts/cross_compile.py [TARGET ...]

The compiler is the Clang of the package `ziglang`, which includes the headers of each target's C
and C++ libraries. Nothing is linked or run: this finds code that depends on one compiler or
library. The headers of Python and NumPy are this environment's, which also needs `Cython` and
`setuptools`.
"""

import importlib
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from distutils.core import run_setup  # setuptools' own, which is imported below
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
#: Processor, system and, on Linux, C library, in Zig's notation.
TARGETS = (
    "aarch64-linux-gnu",
    "aarch64-linux-musl",
    "x86_64-linux-musl",
    "aarch64-macos",
    "x86_64-macos",
)
#: NumPy's headers for Linux include <endian.h>; macOS keeps it elsewhere.
ENDIAN = "#include <machine/endian.h>\n" + "".join(
    f"#define __{name} {name}\n" for name in ("BYTE_ORDER", "LITTLE_ENDIAN", "BIG_ENDIAN")
)


def modules(folder: Path) -> list[Any]:
    """Return the extension modules of a distribution, with C and C++ sources."""
    os.chdir(folder)
    found = run_setup("setup.py", stop_after="init").ext_modules
    if folder == ROOT:
        importlib.import_module("_build.extensions").translate(found)
    return list(found)


def commands(module: Any, target: str, extra: Path) -> Iterator[list[str]]:
    """Yield a compiler command for each source of a module, without its output option."""
    x86 = target.startswith("x86_64")
    flags = [*module.extra_compile_args, "-w", "-O0"]
    for flag in [flag for flag in flags if flag.startswith("-m")]:
        flags.remove(flag)
        level = flag.removeprefix("-march=x86-64-")
        if x86 and level != flag:
            flags.append(f"-mcpu=x86_64_{level}")
    folders = [*module.include_dirs, sysconfig.get_path("include"), str(extra)]
    flags += [f"-I{Path(folder).resolve()}" for folder in folders]
    flags += [f"-D{name}={value}" for name, value in module.define_macros]
    for source in module.sources:
        tool = "c++" if source.endswith(".cpp") else "cc"
        zig = [sys.executable, "-m", "ziglang", tool, "-target", target]
        yield [*zig, *flags, "-c", str(Path(source).resolve())]


def failures(target: str, table: list[Any], folder: Path) -> list[str]:
    """Compile all modules for a target; return the compiler's report for each failed source."""
    extra = folder / target
    extra.mkdir()
    if target.endswith("macos"):
        (extra / "endian.h").write_text(ENDIAN)
    # Other processors do not have the higher levels of x86-64.
    ours = [x for x in table if target.startswith("x86_64") or "x86_64_" not in x.name]
    wanted = [command for module in ours for command in commands(module, target, extra)]

    def run(number: int) -> str:
        command = [*wanted[number], "-o", str(extra / f"{number}.o")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stderr if done.returncode else ""

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(filter(None, pool.map(run, range(len(wanted)))))
    print(f"{target}: {len(wanted)} compiled, {len(found)} of them failed", flush=True)
    return found


def main() -> None:
    """Compile everything for each target."""
    sys.path.insert(0, str(ROOT / "core"))
    native = sorted(path.parent for path in ROOT.glob("plugins/*/setup.py"))
    with tempfile.TemporaryDirectory() as name:
        found = []
        for number, folder in enumerate([ROOT, *native]):
            table = modules(folder)
            work = Path(name) / str(number)
            work.mkdir()
            print(f"== {folder.name}", flush=True)
            for target in sys.argv[1:] or TARGETS:
                found += failures(target, table, work)
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
