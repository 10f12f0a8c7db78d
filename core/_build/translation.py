"""Translation of Cython sources to C or C++, in worker processes."""

import contextlib
import importlib.metadata
import io
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from . import flags

__all__ = ["SHARED", "facts", "process_pool", "translate", "translate_shared"]

#: Module with the helper functions of Cython that would otherwise be part of every module: half of
#: the C code of a small one.
SHARED = "opforge.native._cyutility"


def process_pool(workers: int) -> ProcessPoolExecutor:
    """Return a pool for `translate`.

    Its processes are forked: others would run the program again, which is `setup.py`. They start
    here, before the program has threads, whose locks a later fork would copy as they are held.
    """
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("fork"))
    pool.submit(int).result()
    return pool


def facts() -> list[object]:
    """Return what a translation depends on in addition to its sources."""
    versions = [importlib.metadata.version(name) for name in ("Cython", "numpy")]
    return [*versions, sorted(flags.directives().items())]


def translate(module: str, source: Path, result: Path, include_path: list[str]) -> None:
    """Translate the source of one module; raise RuntimeError with Cython's report if it fails."""
    from Cython.Compiler.Errors import PyrexError
    from Cython.Compiler.Main import CompilationOptions, compile_single

    options = CompilationOptions(
        include_path=include_path,
        compiler_directives=flags.directives(),
        output_file=str(result),
        cplus=result.suffix == ".cpp",
        shared_utility_qualified_name=SHARED,
    )
    result.parent.mkdir(parents=True, exist_ok=True)
    report = io.StringIO()  # hints on performance, unless it fails
    try:
        with contextlib.redirect_stderr(report):
            failed = compile_single(str(source), options, full_module_name=module).num_errors > 0
    except PyrexError as error:
        failed = True
        report.write(str(error))
    if failed:
        result.unlink(missing_ok=True)
        raise RuntimeError(f"Cython could not translate {source}:\n{report.getvalue()}")


def translate_shared(result: Path) -> None:
    """Write the C source of `SHARED`."""
    from Cython.Build.SharedModule import generate_shared_module
    from Cython.Compiler.Main import CompilationOptions

    result.parent.mkdir(parents=True, exist_ok=True)
    options = CompilationOptions(
        compiler_directives={"language_level": 3}, shared_c_file_path=str(result)
    )
    generate_shared_module(options)
