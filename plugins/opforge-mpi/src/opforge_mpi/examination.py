"""Checks of the MPI installation for ``opforge doctor``."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

__all__ = ["examine", "launcher", "ranks_here"]

#: Message, and how to fix the problem; empty if it is not a problem.
Row = tuple[str, str]
_INSTALL = "pip install 'opforge-mpi[mpich]'"
#: Marks in the output of ``mpiexec --version``, and the MPI library they identify.
_LAUNCHERS = {
    "HYDRA": "MPICH",
    "Open MPI": "Open MPI",
    "OpenRTE": "Open MPI",
    "Intel": "Intel MPI",
}
#: Environment variables in which launchers store the number of ranks on a rank's machine.
_LOCAL_SIZES = ("MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE")
_LEVELS = ("single", "funneled", "serialized", "multiple")


def examine() -> Iterator[Row]:
    """Yield the MPI library that is found, and problems with it or with how it is started."""
    try:
        library, text = _library()
    except (ImportError, RuntimeError, OSError) as error:
        yield f"MPI cannot be loaded: {type(error).__name__}: {error}", _INSTALL
        return
    yield text, ""
    yield from _of_launcher(library)
    yield from _of_threads(os.environ, len(os.sched_getaffinity(0)))


def launcher() -> str | None:
    """Return the path of ``mpiexec``: that of this environment, or else the first on PATH."""
    local = shutil.which("mpiexec", path=str(Path(sys.executable).parent))
    return local or shutil.which("mpiexec")


def ranks_here(environment: Mapping[str, str]) -> int:
    """Return the number of ranks that a launcher has started on this machine; 0 if none.

    Examples
    --------
    >>> ranks_here({"MPI_LOCALNRANKS": "4"}), ranks_here({})
    (4, 0)
    """
    sizes = [environment[name] for name in _LOCAL_SIZES if environment.get(name, "").isdecimal()]
    return int(sizes[0]) if sizes else 0


def _library() -> tuple[str, str]:
    """Return the name of the library and a description."""
    import mpi4py

    # This process is not a rank: it must not join those that a launcher may have started.
    mpi4py.rc.initialize = mpi4py.rc.finalize = False
    from mpi4py import MPI

    vendor, release = MPI.get_vendor()
    version = ".".join(map(str, release))
    standard = ".".join(map(str, MPI.Get_version()))
    text = f"{vendor} {version}, MPI {standard}, mpi4py {mpi4py.__version__}"
    if not ranks_here(os.environ):
        level = MPI.Init_thread(MPI.THREAD_MULTIPLE)
        levels = (MPI.THREAD_SINGLE, MPI.THREAD_FUNNELED, MPI.THREAD_SERIALIZED)
        text += f", threads: {dict(zip(levels, _LEVELS, strict=False)).get(level, _LEVELS[-1])}"
        MPI.Finalize()
    return vendor, text


def _of_launcher(library: str) -> Iterator[Row]:
    path = launcher()
    if path is None:
        yield "mpiexec not found; programs run as a single rank", _INSTALL
        return
    advice = (
        "" if shutil.which("mpiexec") else " (call it by this path, or activate its environment)"
    )
    yield f"mpiexec: {path}{advice}", ""
    version = subprocess.run(
        [path, "--version"], capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL
    )
    origin = next((name for mark, name in _LAUNCHERS.items() if mark in version.stdout), None)
    if origin is not None and origin != library:
        yield (
            f"mpiexec is from {origin}, but mpi4py uses {library}: each rank would run alone",
            f"start programs with the mpiexec of {library}, or run pip install --force-reinstall "
            f"--no-binary mpi4py mpi4py to use {origin}",
        )


def _of_threads(environment: Mapping[str, str], cpus: int) -> Iterator[Row]:
    """Yield a warning if the ranks use more threads in total than there are processors."""
    text = environment.get("OPFORGE_NUM_THREADS") or environment.get("OMP_NUM_THREADS") or ""
    threads = int(text) if text.isdecimal() and int(text) else cpus
    ranks = ranks_here(environment)
    if ranks * threads > cpus:
        share = max(cpus // ranks, 1)
        fewer = "" if ranks <= cpus else f", and mpiexec -n {cpus}"
        yield (
            f"{ranks} ranks of {threads} threads share {cpus} processors and slow each other down",
            f"OPFORGE_NUM_THREADS={share}{fewer}",
        )
    elif not ranks and not text and cpus > 1:
        yield (
            f"optional: OPFORGE_NUM_THREADS sets the threads of each rank, by default {cpus}; if "
            "several ranks run on this machine, set it to the share of one",
            "",
        )
