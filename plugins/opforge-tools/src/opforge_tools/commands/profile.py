"""``opforge profile``: run a program and show where the time is spent."""

import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from opforge.base.errors import OpforgeError
from opforge.base.programs import program_frames, run_program
from opforge.cli.commands.options import Json
from opforge.cli.printing.console import fail, print_json

from .profile_tables import SORTS, print_profile

__all__ = ["profile"]

_MATPLOTLIB = "no chart was drawn: pip install matplotlib"

Program = Annotated[
    list[str] | None,
    typer.Argument(metavar="PROGRAM [ARGS]...", help="Script and its arguments."),
]
Module = Annotated[bool, typer.Option("-m", help="Run PROGRAM as a module, like python -m.")]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE.json", help="Trace file; default: profile.json."),
]
Sort = Annotated[str, typer.Option("--sort", metavar="|".join(SORTS), help="Column to sort by.")]
Rows = Annotated[int, typer.Option("--rows", min=1, help="Number of table rows.")]
Merge = Annotated[
    bool, typer.Option("--merge", help="Run nothing; merge the traces given as arguments.")
]


profile = typer.Typer(add_completion=False)


# Options after the program's name belong to the program.
@profile.command("profile", context_settings={"allow_interspersed_args": False})
def profile_program(
    program: Program = None,
    module: Module = False,
    output: Output = None,
    sort: Sort = "own",
    rows: Rows = 25,
    as_json: Json = False,
    merge: Merge = False,
) -> None:
    """Run a program; print a table of its operators, write a trace and draw a chart.

    Perfetto and chrome://tracing open the trace. The exit status is the program's.
    """
    if not program:
        raise typer.BadParameter("pass a program: script.py, or -m module")
    if sort not in SORTS:
        raise typer.BadParameter(f"--sort is {sort!r}, expected one of {', '.join(SORTS)}")
    if merge:
        _merge(program, output)
        return
    if not module and not Path(program[0]).is_file():
        fail(f"the file {program[0]!r} does not exist")
    path = output or _default_path()
    status, seconds = _run([*(["-m"] if module else []), *program], path)
    _show(path, seconds, sort, rows, as_json)
    raise typer.Exit(status)


def _merge(words: list[str], output: Path | None) -> None:
    from ..benchmarks.trace_merging import merge_traces

    # With --merge, options may also follow the first argument.
    paths = list(words)
    for option in ("-o", "--output"):
        if option in paths[:-1]:
            at = paths.index(option)
            output = Path(paths[at + 1])
            del paths[at : at + 2]
    target = output or Path("profile.json")
    merge_traces(paths, target)
    typer.echo(f"merged {len(paths)} traces into {target}")


def _default_path() -> Path:
    from opforge.profiler.trace import rank_of_process

    rank = rank_of_process()
    return Path("profile.json" if rank is None else f"profile.{rank}.json")


def _run(program: list[str], path: Path) -> tuple[int, float]:
    """Run a program with the profiler on; return its exit status and duration in seconds."""
    from opforge import profiler

    profiler.set_config(profile_all=True, aggregate_stats=True, filename=str(path.absolute()))
    profiler.set_state("run")
    status, began = 0, time.perf_counter()
    try:
        run_program(program)
    except SystemExit as end:
        status = _status(end.code)
    except KeyboardInterrupt:
        status = 130
    except Exception as error:
        error.with_traceback(program_frames(error.__traceback__, __name__))
        sys.excepthook(type(error), error, error.__traceback__)
        status = 1
    profiler.set_state("stop")
    return status, time.perf_counter() - began


def _status(code: Any) -> int:
    """Return the exit status of a program that ends with ``sys.exit(code)``."""
    if code is None or isinstance(code, int):
        return code or 0
    typer.echo(code, err=True)
    return 1


def _show(path: Path, seconds: float, sort: str, most: int, as_json: bool) -> None:
    """Print the table; write the trace and the chart."""
    from opforge import profiler
    from opforge.profiler.tables import rows

    from ..benchmarks.charts import can_draw

    found = rows()
    try:
        profiler.dump()
        written = [str(path)]
    except OpforgeError:
        written = []  # the program has written and closed a trace itself
    if written and can_draw():
        from ..benchmarks.profile_chart import draw_profile

        picture = path.with_suffix(".png")
        draw_profile(found, path, picture)
        written.append(str(picture))
    if as_json:
        print_json({"seconds": seconds, "files": written, "rows": [asdict(row) for row in found]})
        return
    print_profile(found, seconds, sort, most)
    for name in written:
        typer.echo(f"wrote {name}")
    if len(written) == 1:
        typer.echo(_MATPLOTLIB)
    if not written:
        typer.echo("the program wrote its own trace")
