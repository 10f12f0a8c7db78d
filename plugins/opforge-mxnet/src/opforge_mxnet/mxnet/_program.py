"""Runner of programs in which ``mxnet`` is opforge, equivalent to ``python``.

The program sees its own ``sys.argv``, ``sys.path`` and ``__main__``; its tracebacks start with its
own lines.
"""

import argparse
import os
import sys
from collections.abc import Sequence

from opforge.base.programs import (
    PROGRAM_OPTIONS,
    STANDARD_INPUT,
    program_frames,
    run_program,
    set_program_folder,
)

from ._finder import install
from ._removed_names import missing_alias, restore_numpy_aliases

__all__ = ["main"]


def main(argv: Sequence[str]) -> int:
    """Run the program of a command line and return the exit status.

    Parameters
    ----------
    argv : sequence of str
        Options of this command, then ``script.py``, ``-m module``, ``-c code`` or ``-``, then the
        program's arguments. Without a program, it is read from standard input, as ``-``.
    """
    own, program = _split_command_line(argv)
    parser = _parser()
    options = parser.parse_args(own)
    if not program and not sys.stdin.isatty():
        program = [STANDARD_INPUT]
    if not program or (program[0] in PROGRAM_OPTIONS and len(program) < 2):
        parser.error("pass a program: script.py, -m module, -c code, or - for standard input")
    if program[0] not in (*PROGRAM_OPTIONS, STANDARD_INPUT) and not os.path.exists(program[0]):
        parser.error(f"the file {program[0]!r} does not exist")
    set_program_folder(program)
    try:
        install(force=options.force)
    except ImportError as error:
        print(f"opforge.mxnet: {error}", file=sys.stderr)
        return 2
    if options.numpy_aliases:
        restore_numpy_aliases()
    try:
        run_program(program)
    except Exception as error:
        _report(error)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m opforge.mxnet",
        usage="%(prog)s [--force] [--numpy-aliases] "
        "(script.py | -m module | -c code | -) [args ...]",
        description="Run an MXNet program on opforge: `import mxnet` means opforge.",
        allow_abbrev=False,
    )
    parser.add_argument("--force", action="store_true", help="hide a real MXNet that is installed")
    parser.add_argument(
        "--numpy-aliases",
        action="store_true",
        help="restore names that NumPy and Python have removed, such as np.int and "
        "collections.Iterable",
    )
    return parser


def _split_command_line(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split a command line into this command's options and the program with its arguments."""
    for position, word in enumerate(argv):
        if word in (*PROGRAM_OPTIONS, STANDARD_INPUT) or not word.startswith("-"):
            return list(argv[:position]), list(argv[position:])
    return list(argv), []


def _report(error: Exception) -> None:
    """Print the program's exception as the interpreter would, starting at the program's code."""
    cause: BaseException | None = error
    while cause is not None:
        name = missing_alias(cause)
        if name is not None:
            cause.add_note(
                f"{name} was removed; python -m opforge.mxnet --numpy-aliases restores such names"
            )
        cause = cause.__cause__
    error.with_traceback(program_frames(error.__traceback__, __name__))
    sys.excepthook(type(error), error, error.__traceback__)
