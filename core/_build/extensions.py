"""The extension table: which native modules there are and how each is built.

A `.pyx` in a room of `opforge/native` becomes one module. A `.pyx` in `opforge/native/kernels` is
translated once and compiled once for each instruction set, as `opforge.native.kernels.<isa>.<name>`.
A module whose `.pyx` starts with ``# distutils: language = c++`` is C++.
"""

import copy
import os
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


def _cythonize(extensions: list[Extension]) -> list[Extension]:
    table = cythonize(
        extensions,
        include_path=["core", str(PUBLIC)],
        compiler_directives=flags.directives(),
        nthreads=os.cpu_count() or 1,
        show_all_warnings=False,
        quiet=True,
    )
    for extension in table:
        extension.depends = _headers(extension)
        # Some include the interface's header through what they cimport.
        if str(PUBLIC / "opforge" / "abi.h") in extension.depends:
            extension.include_dirs.insert(-1, str(PUBLIC))
    return table


def extensions() -> list[Extension]:
    """Translate all native sources and return the table for setuptools."""
    os.chdir(ROOT)
    table = _cythonize([_extension(_module(p), p, []) for p in sorted(NATIVE.rglob("*.pyx"))])
    done = [e for e in table if ".kernels." not in e.name]
    for kernel in (e for e in table if ".kernels." in e.name):
        for isa, extra in flags.BUILT_ISA_FLAGS.items():
            one = copy.copy(kernel)
            one.name = kernel.name.replace(".kernels.", f".kernels.{isa}.")
            one.extra_compile_args = kernel.extra_compile_args + extra
            done.append(one)
    return done


class BuildExtensions(build_ext):
    """Build in parallel, each module with an object folder of its own."""

    def finalize_options(self) -> None:
        """Use every core unless told otherwise."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extension(self, ext: Extension) -> None:
        """Build `ext`; modules of one source must not share object files."""
        own = copy.copy(self)
        own.build_temp = str(Path(self.build_temp) / ext.name)
        super(BuildExtensions, own).build_extension(ext)
