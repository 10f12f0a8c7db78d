"""Commands of ``opforge bench``, which measure opforge and compare it with other libraries.

Each prints a table, or JSON with ``--json``. The cases are in `opforge_tools.benchmarks`.
"""

import re
import sys
from collections.abc import Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from opforge.base.text_tables import Column, TextTable
from opforge.cli.printing.console import fail, open_console, print_json, print_plain, print_table
from opforge.plugin.command_line import BENCHMARKS, functions_of

from ..benchmarks import (
    charts,
    comparison,
    importing,
    libraries,
    limits,
    machine,
    memory,
    reports,
    tracing,
)
from ..benchmarks import sizes as growth
from ..benchmarks import threads as scaling
from ..benchmarks.case import PEERS, Case
from ..benchmarks.cases import select
from ..benchmarks.processes import Failure

__all__ = ["bench"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Only = Annotated[
    str,
    typer.Option(
        "--only",
        metavar="REGEX",
        help="Regular expression; select the cases whose group or name contains a match.",
    ),
]
Against = Annotated[
    list[str] | None,
    typer.Option(
        "--against",
        metavar="|".join(PEERS),
        help="Library to compare with; may be repeated. Default: torch, else numpy.",
    ),
]
Plot = Annotated[
    Path | None,
    typer.Option(
        "--plot", metavar="FILE.png", help="Write a chart to this file (needs opforge\\[bench])."
    ),
]
Threads = Annotated[
    int,
    typer.Option("--threads", min=0, help="Threads per operator; 0: opforge's default."),
]
Rounds = Annotated[
    int, typer.Option("--rounds", min=1, help="Rounds per case; more give steadier figures.")
]
Listing = Annotated[bool, typer.Option("--list", help="List the cases without measuring.")]
Most = Annotated[int, typer.Option("--most", min=10, help="Largest number of elements.")]
Repeats = Annotated[int, typer.Option("--repeats", min=1, help="Processes started per program.")]


class _Benchmarks(TyperGroup):
    """Command group of opforge's benchmarks and those that plugins provide."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of commands: opforge's in the order of the help, then the plugins'."""
        return [*super().list_commands(ctx), *sorted(functions_of(BENCHMARKS))]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, or None if it does not exist."""
        own = super().get_command(ctx, cmd_name)
        point = None if own else functions_of(BENCHMARKS).get(cmd_name)
        return _of_plugin(point) if point else own


def _of_plugin(point: EntryPoint) -> Any:
    """Return a command that passes its arguments to a plugin's function."""

    def run(context: typer.Context) -> None:
        found = point.load()(list(context.args))
        if isinstance(found, int):
            raise typer.Exit(found)
        _print(found)

    alone = typer.Typer(add_completion=False)
    maker = "" if point.dist is None else point.dist.name
    alone.command(
        point.name,
        short_help=f"Benchmarks of {maker}; see --help.",
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )(run)
    return typer.main.get_command(alone)


bench = typer.Typer(
    cls=_Benchmarks,
    help="Measure opforge on this machine, compared with PyTorch or NumPy if installed.",
    invoke_without_command=True,
)


@bench.callback()
def cases(
    context: typer.Context,
    only: Only = "",
    against: Against = None,
    as_json: Json = False,
    plot: Plot = None,
    listing: Listing = False,
    threads: Threads = 0,
    rounds: Rounds = comparison.ROUNDS,
) -> None:
    """Measure opforge on this machine, compared with PyTorch or NumPy if installed."""
    if context.invoked_subcommand is not None:
        return
    chosen = _choose_cases(only)
    if listing:
        _list(chosen, as_json)
        return
    peers = _peers(against, default=True)
    _check_picture(plot)
    threads = threads or machine.default_threads()
    _say("limits of the machine")
    most = limits.measure(threads)
    rows = comparison.compare(chosen, peers, threads, most, rounds, _say)
    report = {
        "kind": "cases",
        "machine": machine.describe(("opforge", *peers), threads),
        "limits": most.as_dict(),
        "peers": peers,
        "rows": rows,
    }
    _show(report, as_json)
    if plot:
        charts.draw_ratios(rows, peers[0], plot)


@bench.command("sizes")
def sizes(
    against: Against = None,
    as_json: Json = False,
    plot: Plot = None,
    threads: Threads = 0,
    most: Most = 10**8,
) -> None:
    """Measure the time per element for increasing sizes; cost should grow linearly."""
    peers = _peers(against, default=False)
    _check_picture(plot)
    threads = threads or machine.default_threads()
    counts = growth.counts(most)
    try:
        found = {
            library: growth.sweep(growth.SWEEPS, counts, library, threads, _say)
            for library in ("opforge", *peers)
        }
    except Failure as failure:
        fail(str(failure))
    report = {
        "kind": "sizes",
        "machine": machine.describe(found, threads),
        "rows": found,
    }
    _show(report, as_json)
    if plot:
        charts.draw_sizes(found, plot)


@bench.command("threads")
def threads(as_json: Json = False, threads: Threads = 0) -> None:
    """Measure kernels with one thread and with several."""
    threads = threads or machine.default_threads()
    _say("limits of the machine")
    most = limits.measure(threads)
    report = {
        "kind": "threads",
        "machine": machine.describe(("opforge",), threads),
        "limits": most.as_dict(),
        "rows": scaling.scale(scaling.SCALED, threads, most, _say),
    }
    _show(report, as_json)


@bench.command("memory")
def peaks(against: Against = None, as_json: Json = False, threads: Threads = 0) -> None:
    """Measure peak memory of a training step."""
    threads = threads or machine.default_threads()
    found = ("opforge", *_peers(against, default=libraries.is_importable("torch")))
    report = {
        "kind": "memory",
        "machine": machine.describe(found, threads),
        "libraries": found,
        "rows": memory.compare_peaks(found, threads),
    }
    _show(report, as_json)


@bench.command("import")
def imports(as_json: Json = False, repeats: Repeats = 20) -> None:
    """Measure the import time of opforge beyond NumPy's, with and without a hundred plugins."""
    report = {
        "kind": "import",
        "machine": machine.describe(("opforge", "numpy"), 1),
        "rows": importing.measure(repeats),
    }
    _show(report, as_json)


@bench.command("tracing")
def first_calls(as_json: Json = False) -> None:
    """Measure the extra time of a hybridized block's first call."""
    report = {
        "kind": "tracing",
        "machine": machine.describe(("opforge",), machine.default_threads()),
        "rows": tracing.measure(),
    }
    _show(report, as_json)


def _choose_cases(only: str) -> Sequence[Case]:
    try:
        chosen = select(only)
    except re.error as error:
        fail(f"--only {only!r} is not a valid regular expression: {error}")
    if not chosen:
        fail(f"--only {only!r} matches no case; list them with opforge bench --list")
    return chosen


def _peers(against: list[str] | None, default: bool) -> list[str]:
    """Return the requested peers, or the first one that is installed."""
    if not against:
        return [name for name in PEERS if libraries.is_importable(name)][:1] if default else []
    for name in against:
        if name not in PEERS:
            fail(f"--against {name!r}: expected {' or '.join(PEERS)}")
        if not libraries.is_importable(name):
            fail(f"--against {name}: {name} is not installed here; pip install {name}")
    return list(dict.fromkeys(against))


def _check_picture(plot: Path | None) -> None:
    """Raise before measuring if the chart could not be drawn."""
    if plot is None:
        return
    if not charts.can_draw():
        fail("--plot needs matplotlib, which is not installed: pip install 'opforge[bench]'")
    if not plot.absolute().parent.is_dir():
        fail(f"--plot {plot}: the folder {plot.parent} does not exist")


def _show(report: dict[str, Any], as_json: bool) -> None:
    _say("")
    print_json(report) if as_json else _print(reports.sheets(report))


def _list(chosen: Sequence[Case], as_json: bool) -> None:
    if as_json:
        print_json([case.as_json() for case in chosen])
    else:
        _print(reports.listing(chosen))


def _print(sheets: Sequence[reports.Sheet]) -> None:
    console = open_console()
    for sheet in sheets:
        if sheet.columns:
            columns = [
                Column(heading, right=bool(number) and not sheet.is_text)
                for number, heading in enumerate(sheet.columns)
            ]
            print_table(console, TextTable(columns, list(sheet.rows), sheet.title))
        print_plain(console, "\n".join([*sheet.notes, ""]))


def _say(text: str) -> None:
    """Show progress if the console is a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{text}" if text else "")
        sys.stderr.flush()
