"""The extension table: which native modules there are and how each is built.

A `.pyx` in a room of `opforge/native` becomes one module. A `.pyx` in `opforge/native/kernels` is
translated once and compiled once for each instruction set, as `opforge.native.kernels.<isa>.<name>`.
A module whose `.pyx` starts with ``# distutils: language = c++`` is C++.
"""

import copy
import itertools
import logging
import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension
from setuptools.command.build_ext import build_ext

from . import flags
from .includes import with_included

ROOT = Path(__file__).resolve().parents[2]
NATIVE = Path("core/opforge/native")
#: What authors of native operators include; the core is built against the same.
PUBLIC = Path("core/opforge/include")


def _header_folders() -> list[Path]:
    """Return the folders of rooms that have headers."""
    found = {path.parent.relative_to(ROOT) for path in (ROOT / NATIVE).rglob("*.h*")}
    return sorted(found)


def _module(source: Path) -> str:
    """Return the dotted name of the module that `source` becomes."""
    return ".".join(source.relative_to("core").with_suffix("").parts)


def _extension(module: str, source: Path, extra: list[str]) -> Extension:
    import numpy

    text = (ROOT / source).read_text()
    is_cpp = "language = c++" in text.split("\n", 1)[0]
    compile_args = flags.compile_flags() + extra + (["-std=c++17"] if is_cpp else ["-std=c11"])
    return Extension(
        module,
        [str(source)],
        include_dirs=[*map(str, _header_folders()), numpy.get_include()],
        define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
        extra_compile_args=compile_args,
        extra_link_args=flags.link_flags() + ["-pthread"],
        language="c++" if is_cpp else "c",
    )


def _headers(extension: Extension) -> list[str]:
    """Return what of our own headers a translated extension is compiled from."""
    source = Path(extension.sources[0])
    # Cython has found what `cdef extern from` names, here and in whatever is cimported, unless it lies
    # among what authors include: that is named in the translation.
    named = [source, source.with_suffix(".pyx"), *map(Path, extension.depends)]
    ours = [path for path in named if not path.is_absolute()]
    return list(map(str, with_included(ours, [*_header_folders(), PUBLIC])))


def extensions() -> list[Extension]:
    """Return the table for setuptools; its sources are translated when they are built."""
    os.chdir(ROOT)
    table = []
    for source in sorted(NATIVE.rglob("*.pyx")):
        name = _module(source)
        if ".kernels." not in name:
            table.append(_extension(name, source, []))
            continue
        for isa, extra in flags.BUILT_ISA_FLAGS.items():
            table.append(_extension(name.replace(".kernels.", f".kernels.{isa}."), source, extra))
    return table


def translate(table: list[Extension]) -> None:
    """Put what Cython makes of the sources in their place, each source being translated once."""
    sources = sorted({Path(extension.sources[0]) for extension in table})
    translated = cythonize(
        [_extension(_module(source), source, []) for source in sources],
        include_path=["core", str(PUBLIC)],
        compiler_directives=flags.directives(),
        nthreads=os.cpu_count() or 1,
        show_all_warnings=False,
        quiet=True,
    )
    made = {one.name: one for one in translated}
    for extension in table:
        one = made[_module(Path(extension.sources[0]))]
        extension.sources, extension.depends = one.sources, _headers(one)
        # Some include the interface's header through what they cimport.
        if str(PUBLIC / "opforge" / "abi.h") in extension.depends:
            extension.include_dirs.insert(-1, str(PUBLIC))


class BuildExtensions(build_ext):
    """Translate, then build in parallel, each module with an object folder of its own."""

    def finalize_options(self) -> None:
        """Use every core unless told otherwise."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self) -> None:
        """Translate first: what only reads metadata or packs sources comes without."""
        if sys.platform == "win32":
            raise SystemExit(
                "opforge is not there for Windows: its native sources want POSIX threads, mmap and "
                "dlopen; in WSL it installs and runs as on Linux"
            )
        self.announce("opforge: translating the native sources with Cython", logging.INFO)
        translate(self.extensions)
        self.done = itertools.count(1)
        super().run()

    def build_extension(self, ext: Extension) -> None:
        """Build `ext`; modules of one source must not share object files."""
        own = copy.copy(self)
        own.build_temp = str(Path(self.build_temp) / ext.name)
        super(BuildExtensions, own).build_extension(ext)
        count = f"{next(self.done)} of {len(self.extensions)}"
        self.announce(f"opforge: {count} native modules: {ext.name}", logging.INFO)
