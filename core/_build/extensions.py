"""The extension table: which native modules there are and how each is built.

A `.pyx` in a package of `opforge/native` becomes one module. A `.pyx` in `opforge/native/kernels`
is translated once and compiled once for each instruction set, as
`opforge.native.kernels.<isa>.<name>`. A module whose `.pyx` starts with
``# distutils: language = c++`` is C++.

Results are kept under `build/` with the fingerprint of their inputs, and copied from there to where
setuptools wants them; nothing is translated or compiled again until an input differs.
"""

import copy
import os
import shutil
import sys
import sysconfig
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from setuptools import Extension
from setuptools.command.build_ext import build_ext

from . import flags, translation
from .dependencies import dependencies
from .fingerprints import fingerprint, is_current, mark_current
from .progress import Progress
from .schedule import Job, run

ROOT = Path(__file__).resolve().parents[2]
NATIVE = Path("core/opforge/native")
#: Headers for authors of native operators; the core is built against the same.
PUBLIC = Path("core/opforge/include")
#: Compiling a byte of a kernel's source takes this many times as long as of other sources.
KERNEL_COST = 20


def work_folder() -> Path:
    """Return the folder of results, one for each Python, and for debug and sanitizer builds."""
    tag = (sysconfig.get_config_var("EXT_SUFFIX") or "").strip(".").removesuffix(".so")
    return Path("build", "-".join(filter(None, ("native", tag, flags.variant()))))


def _header_folders() -> list[Path]:
    """Return the packages that have headers."""
    found = {path.parent.relative_to(ROOT) for path in (ROOT / NATIVE).rglob("*.h*")}
    return sorted(found)


def _module(source: Path) -> str:
    """Return the dotted name of the module that `source` becomes."""
    return ".".join(source.relative_to("core").with_suffix("").parts)


def _extension(module: str, source: Path, extra: list[str]) -> Extension:
    import numpy

    text = (ROOT / source).read_text() if source.suffix == ".pyx" else ""
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


def extensions() -> list[Extension]:
    """Return the table for setuptools; its sources are translated when they are built."""
    os.chdir(ROOT)
    table = [_extension(translation.SHARED, _source_path(translation.SHARED, "c"), [])]
    for source in sorted(NATIVE.rglob("*.pyx")):
        name = _module(source)
        if ".kernels." not in name:
            table.append(_extension(name, source, []))
            continue
        for isa, extra in flags.BUILT_ISA_FLAGS.items():
            table.append(_extension(name.replace(".kernels.", f".kernels.{isa}."), source, extra))
    return table


def _source_path(module: str, suffix: str) -> Path:
    """Return the path of the C or C++ source of a module."""
    return work_folder().joinpath("c", *module.split(".")).with_suffix(f".{suffix}")


class Unit:
    """A source and the modules that are compiled from its translation."""

    def __init__(self, source: Path, modules: list[Extension]) -> None:
        self.source = source
        self.modules = modules
        self.is_shared = modules[0].name == translation.SHARED
        self.name = translation.SHARED if self.is_shared else _module(source)
        suffix = "cpp" if modules[0].language == "c++" else "c"
        self.result = _source_path(self.name, suffix)
        folders = [*_header_folders(), PUBLIC]
        self.cython, self.headers = (
            ([], []) if self.is_shared else dependencies(source, folders, [Path("core"), PUBLIC])
        )
        self.fingerprint = fingerprint(self.cython, *translation.facts())
        size = 50_000 if self.is_shared else sum(path.stat().st_size for path in self.cython)
        self.cost = size * (KERNEL_COST if ".kernels." in self.name else 1)

    @property
    def is_translated(self) -> bool:
        """True if the translation is up to date."""
        return is_current(self.result, self.fingerprint)

    def translate(self, pool: ProcessPoolExecutor) -> None:
        """Translate the source in a process of `pool`."""
        if self.is_shared:
            pool.submit(translation.translate_shared, self.result).result()
        else:
            arguments = (self.name, self.source, self.result, ["core", str(PUBLIC)])
            pool.submit(translation.translate, *arguments).result()
        mark_current(self.result, self.fingerprint)

    def prepare(self) -> None:
        """Let the modules be compiled from the translation."""
        for module in self.modules:
            module.sources = [str(self.result)]
            # A public header may be included through a cimported file.
            if any(path.is_relative_to(PUBLIC) for path in self.headers):
                module.include_dirs.insert(-1, str(PUBLIC))


def units(table: list[Extension]) -> list[Unit]:
    """Return the sources of a table whose modules have not been prepared."""
    groups: dict[str, list[Extension]] = {}
    for module in table:
        groups.setdefault(module.sources[0], []).append(module)
    return [Unit(Path(source), modules) for source, modules in groups.items()]


def translate(table: list[Extension]) -> None:
    """Translate the sources of a table and let its modules be compiled from the results."""
    found = units(table)
    stale = [unit for unit in found if not unit.is_translated]
    threads = os.cpu_count() or 1
    with translation.process_pool(threads) as pool:
        run([Job(unit.cost, lambda u=unit: u.translate(pool) or ()) for unit in stale], threads)
    for unit in found:
        unit.prepare()


class BuildExtensions(build_ext):
    """Translate and compile in parallel whatever is out of date."""

    def finalize_options(self) -> None:
        """Use every core by default."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self) -> None:
        """Reject systems that the sources do not support, then build."""
        if sys.platform == "win32":
            raise SystemExit(
                "opforge is not available for Windows: its native sources need POSIX threads, mmap "
                "and dlopen; in WSL it installs and runs as on Linux"
            )
        super().run()

    def build_extensions(self) -> None:
        """Compile each source as soon as it is translated, the most expensive first."""
        folder = work_folder()
        found = units(self.extensions)
        stale = {id(unit): self._stale_modules(unit, folder) for unit in found}
        wanted = [unit for unit in found if stale[id(unit)]]
        translations = sum(not unit.is_translated for unit in wanted)
        progress = Progress(translations + sum(map(len, stale.values())))
        threads = self.parallel if isinstance(self.parallel, int) else os.cpu_count() or 1

        def compile_one(unit: Unit, module: Extension, made_from: str) -> list[Job]:
            self._compile(module, folder)
            mark_current(self._kept(module, folder), made_from)
            progress.done(f"compiled {module.name}")
            return []

        def build(unit: Unit) -> list[Job]:
            if not unit.is_translated:
                unit.translate(pool)
                progress.done(f"translated {unit.name}")
            unit.prepare()
            return [
                Job(unit.cost * 4, lambda m=module, f=made_from: compile_one(unit, m, f))
                for module, made_from in stale[id(unit)]
            ]

        if wanted:
            with translation.process_pool(threads) as pool:
                run([Job(unit.cost, lambda u=unit: build(u)) for unit in wanted], threads)
        progress.finish(f"{len(self.extensions)} native modules are up to date")
        self._deliver(folder)

    def _stale_modules(self, unit: Unit, folder: Path) -> list[tuple[Extension, str]]:
        """Return the modules of a unit to compile, each with the fingerprint of its inputs."""
        compiler = [self.compiler.compiler_so, getattr(self.compiler, "linker_so", None)]
        # The name of a caching wrapper makes no difference to the result.
        commands = [[word for word in part or [] if word != "ccache"] for part in compiler]
        found = []
        for module in unit.modules:
            arguments = (module.extra_compile_args, module.extra_link_args, module.define_macros)
            made_from = fingerprint(unit.headers, unit.fingerprint, commands, *arguments)
            if self.force or not is_current(self._kept(module, folder), made_from):
                found.append((module, made_from))
        return found

    def _kept(self, module: Extension, folder: Path) -> Path:
        """Return the path of a module's shared object among the results."""
        name = self.get_ext_filename(module.name)
        return folder / "lib" / name

    def _compile(self, module: Extension, folder: Path) -> None:
        """Compile one module; those of one source must not share object files."""
        own = copy.copy(self)
        own.force = True  # setuptools would compare time stamps
        own.inplace = False
        own.build_lib = str(folder / "lib")
        own.build_temp = str(folder / "objects" / module.name)
        super(BuildExtensions, own).build_extension(module)
        shutil.rmtree(own.build_temp, ignore_errors=True)

    def _deliver(self, folder: Path) -> None:
        """Copy the modules to where setuptools expects them, and remove those of former sources."""
        expected = {Path(self.get_ext_fullpath(module.name)) for module in self.extensions}
        former = Path(self.build_lib, "opforge", "native").rglob("*.so")
        for path in set(former) - expected:
            path.unlink()
        for module in self.extensions:
            path = Path(self.get_ext_fullpath(module.name))
            path.parent.mkdir(parents=True, exist_ok=True)
            kept = self._kept(module, folder)
            if not path.exists() or path.stat().st_mtime_ns != kept.stat().st_mtime_ns:
                path.unlink(missing_ok=True)  # a running program keeps the one it has loaded
                shutil.copy2(kept, path)
