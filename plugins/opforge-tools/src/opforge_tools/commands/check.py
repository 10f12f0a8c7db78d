"""``opforge check``: the conformance battery for a distribution, a project or a file."""

import os
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from opforge.base.text_lines import visible
from opforge.cli.commands.completion import complete_target
from opforge.cli.printing.console import open_console, print_json, print_table, print_whole

if TYPE_CHECKING:
    from ..testing import Report

__all__ = ["check"]


def check(
    target: Annotated[
        str,
        typer.Argument(
            metavar="DIST|PATH",
            help="Installed distribution, project folder, or Python file that registers operators.",
            autocompletion=complete_target,
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the result as JUnit XML.")
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(metavar="REGEX", help="Run the checks that match, e.g. 'softmax/gradients'."),
    ] = None,
    minimum: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Minimum number of checks per operator and layer."),
    ] = None,
    stress: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="Repeat calls N times as often; 10 for a release."),
    ] = 1,
) -> None:
    """Check all contributions: shapes, values, gradients, memory, threads, documentation.

    Exit status: 0 passed, 1 a check failed, 2 nothing was checked or too few checks ran.
    """
    from ..testing._battery.report.junit import write_junit

    try:
        # Keep a plugin's output out of the report.
        with redirect_stdout(sys.stderr):
            reports = _reports(target, only, minimum, stress)
    except (LookupError, ValueError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None
    if junit is not None:
        write_junit(reports, junit)
    if as_json:
        passed = bool(reports) and all(report.passed for report in reports)
        found = [report.as_dict() for report in reports]
        print_json({"target": target, "passed": passed, "reports": found})
    else:
        _print(reports)
    if any(report.failures for report in reports):
        raise typer.Exit(1)
    if not reports or any(report.too_few for report in reports):
        raise typer.Exit(2)


def _reports(target: str, only: str | None, minimum: int | None, stress: int) -> "list[Report]":
    """Return the reports for `target`; files and projects take precedence over distributions."""
    from ..testing._battery.project.distribution import check_distribution
    from ..testing._battery.project.project import installed_project
    from ..testing._battery.project.source_file import check_file

    path = Path(target)
    options: dict[str, Any] = {"only": only, "minimum": minimum, "stress": stress}
    if path.suffix == ".py" and path.is_file():
        return check_file(path.resolve(), **options)
    # A folder with the name of a distribution need not be a project.
    if path.is_dir() and ((path / "pyproject.toml").is_file() or os.sep in target):
        with installed_project(path.resolve()) as name:
            return check_distribution(name, **options, raises=False)
    if path.suffix == ".py" or os.sep in target:
        raise LookupError(
            f"the {'file' if path.suffix == '.py' else 'project'} {target!r} does not exist"
        )
    return check_distribution(target, **options, raises=False)


def _print(reports: "list[Report]") -> None:
    from ..testing._battery.report.table import location_lines, table_of

    console = open_console()
    for report in reports:
        print_whole(console.bold(visible(report.verdict)))
        print_table(console, table_of(report.outcomes, report.measured))
        for place in location_lines(report.outcomes):
            typer.echo(visible(place))
        typer.echo()
    good = sum(report.passed for report in reports)
    typer.echo(f"{good} of {len(reports)} passed" if reports else "nothing to check")
