"""Run a program in which ``mxnet`` is opforge, as ``python`` itself would run it.

The program sees its own ``sys.argv``, ``sys.path`` and ``__main__``; its tracebacks begin with its
own lines.
"""

import argparse
import os
import runpy
import sys
from collections.abc import Sequence
from types import ModuleType, TracebackType

from ._finder import INNER, install
from ._numpy_names import missing_alias, restore_numpy_aliases

__all__ = ["main"]

#: What the program finds as ``mxnet.__version__``: many refuse to run, or choose, by it.
API_VERSION = "1.9.1"
#: Options after which the rest of the command line is the program's.
_PROGRAM_OPTIONS = ("-m", "-c")


def main(argv: Sequence[str]) -> int:
    """Run the program of a command line and return the exit status.

    Parameters
    ----------
    argv : sequence of str
        Own options, then ``script.py``, ``-m module`` or ``-c code``, then the program's arguments.
    """
    own, program = _split(argv)
    parser = _parser()
    options = parser.parse_args(own)
    if not program or (program[0] in _PROGRAM_OPTIONS and len(program) < 2):
        parser.error("give a program: script.py, -m module, or -c code")
    kind = program[0] if program[0] in _PROGRAM_OPTIONS else "script"
    if kind == "script":
        if not os.path.exists(program[0]):
            parser.error(f"there is no file {program[0]!r}")
        _set_script_folder(program[0])
    try:
        install(force=options.force)
    except ImportError as error:
        print(f"opforge.mxnet: {error}", file=sys.stderr)
        return 2
    sys.modules[INNER].__dict__["__version__"] = API_VERSION
    if options.numpy_aliases:
        restore_numpy_aliases()
    try:
        _run(kind, program)
    except Exception as error:
        _report(error)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m opforge.mxnet",
        usage="%(prog)s [--force] [--numpy-aliases] (script.py | -m module | -c code) [args ...]",
        description="Run an MXNet program on opforge: `import mxnet` means opforge.",
        allow_abbrev=False,
    )
    parser.add_argument("--force", action="store_true", help="hide a real MXNet that is installed")
    parser.add_argument(
        "--numpy-aliases",
        action="store_true",
        help="put back names that NumPy has removed, such as np.int and np.float",
    )
    return parser


def _split(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Divide a command line into own options and the program with its arguments."""
    for position, word in enumerate(argv):
        if word in _PROGRAM_OPTIONS or not word.startswith("-"):
            return list(argv[:position]), list(argv[position:])
    return list(argv), []


def _set_script_folder(script: str) -> None:
    """Put the script's folder where ``python script.py`` has it: first on ``sys.path``."""
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(script))


def _run(kind: str, program: list[str]) -> None:
    """Run the program as ``__main__``."""
    if kind == "script":
        sys.argv = program
        runpy.run_path(program[0], run_name="__main__")
        return
    value, arguments = program[1], program[2:]
    sys.argv = [kind, *arguments]
    if kind == "-m":
        runpy.run_module(value, run_name="__main__", alter_sys=True)
        return
    module = sys.modules["__main__"] = ModuleType("__main__")
    exec(compile(value, "<string>", "exec"), vars(module))


def _report(error: Exception) -> None:
    """Show what the program raised as the interpreter would, from the program's first line on."""
    cause: BaseException | None = error
    while cause is not None:
        name = missing_alias(cause)
        if name is not None:
            cause.add_note(
                f"NumPy has removed np.{name}; python -m opforge.mxnet --numpy-aliases puts such "
                "names back"
            )
        cause = cause.__cause__
    error.with_traceback(_program_frames(error.__traceback__))
    sys.excepthook(type(error), error, error.__traceback__)


def _program_frames(trace: TracebackType | None) -> TracebackType | None:
    """Leave out the frames through which the program was started."""
    while trace is not None and trace.tb_frame.f_globals.get("__name__") in {"runpy", __name__}:
        trace = trace.tb_next
    return trace
