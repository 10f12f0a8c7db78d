"""Running a Python program in this process, as ``python`` would. Layer 0."""

import os
import runpy
import sys
from collections.abc import Sequence
from types import ModuleType, TracebackType

__all__ = [
    "PROGRAM_OPTIONS",
    "STANDARD_INPUT",
    "program_frames",
    "run_program",
    "set_program_folder",
]

#: Options after which the remaining arguments are the program's.
PROGRAM_OPTIONS = ("-m", "-c")
#: Program that is read from standard input.
STANDARD_INPUT = "-"


def run_program(program: Sequence[str]) -> None:
    """Run a program as ``__main__``, with its own ``sys.argv`` and ``sys.path``.

    Parameters
    ----------
    program : sequence of str
        ``script.py``, ``-m module``, ``-c code`` or ``-`` for standard input, then the program's
        arguments.
    """
    set_program_folder(program)
    kind, *rest = program
    if kind == STANDARD_INPUT:
        sys.argv = list(program)
        _run_code(sys.stdin.read(), "<stdin>")
        return
    if kind not in PROGRAM_OPTIONS:
        sys.argv = list(program)
        runpy.run_path(kind, run_name="__main__")
        return
    value, *arguments = rest
    sys.argv = [kind, *arguments]
    if kind == "-m":
        runpy.run_module(value, run_name="__main__", alter_sys=True)
        return
    _run_code(value, "<string>")


def _run_code(text: str, file: str) -> None:
    module = sys.modules["__main__"] = ModuleType("__main__")
    exec(compile(text, file, "exec"), vars(module))


def set_program_folder(program: Sequence[str]) -> None:
    """Set ``sys.path[0]`` as python does: to the script's folder or the working directory."""
    is_script = program[0] not in (*PROGRAM_OPTIONS, STANDARD_INPUT)
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(program[0])) if is_script else os.getcwd()


def program_frames(trace: TracebackType | None, caller: str) -> TracebackType | None:
    """Strip the leading frames of a traceback that belong to starting the program.

    Parameters
    ----------
    trace : traceback or None
    caller : str
        Module that called `run_program`.
    """
    started_by = {"runpy", __name__, caller}
    while trace is not None and trace.tb_frame.f_globals.get("__name__") in started_by:
        trace = trace.tb_next
    return trace
