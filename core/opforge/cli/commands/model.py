"""``opforge model check``: requirements and contents of a saved model, without executing it."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ...base.errors import OpforgeError
from ...base.text_lines import visible
from ...base.text_tables import Column, TextTable
from ..printing.console import (
    fail,
    open_console,
    print_json,
    print_plain,
    print_table,
    print_whole,
)

__all__ = ["model"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
File = Annotated[
    Path, typer.Argument(help="A graph (prefix-symbol.json) or arrays (prefix-0001.params).")
]

model = typer.Typer(help="Inspect saved model files.", no_args_is_help=True)


@model.callback()
def _group() -> None:
    """Inspect saved model files."""


@model.command("check")
def check(file: File, as_json: Json = False) -> None:
    """Show the requirements of a model; exit status 1 if it cannot be loaded here."""
    from ..reference import rows
    from ..reference.model_file import explain

    rows.import_core()
    try:
        report = explain(file)
    except OSError as error:
        fail(
            f"{file} cannot be read: {error.strerror}. Pass the file of a graph "
            "(prefix-symbol.json) or of arrays (prefix-0001.params)"
        )
    except OpforgeError as error:
        fail(str(error))
    if as_json:
        print_json(report)
    elif report["kind"] == "arrays":
        _print_arrays(report)
    else:
        _print_graph(report)
    if not report["loadable"]:
        raise typer.Exit(1)


def _print_arrays(report: dict[str, Any]) -> None:
    console = open_console()
    title = f"{report['count']} arrays, {report['bytes']} bytes"
    columns = [Column("name"), Column("shape", whole=True), Column("type", whole=True)]
    table = TextTable(columns, title=title)
    for row in report["arrays"]:
        shape = " x ".join(map(str, row["shape"]))
        table.rows.append([visible(cell) for cell in (row["name"], shape, row["dtype"])])
    print_table(console, table)


def _print_graph(report: dict[str, Any]) -> None:
    console = open_console()
    facts = [
        f"{report['nodes']} nodes, including {len(report['inputs'])} variables",
        f"file format of MXNet {report['mxnet_version']}",
        f"primitive operators: {', '.join(report['primitive']) or 'none'}",
    ]
    print_plain(console, "\n".join(map(visible, facts)))
    if report["operators"]:
        title = "Operators beyond the primitive set"
        if not report["has_bill"]:
            title += " (the file does not name their plugins)"
        headings = ("operator", "count", "plugin", "saved with", "installed", "state")
        table = TextTable([Column(heading) for heading in headings], title=f"\n{title}")
        for row in report["operators"]:
            cells = [row["name"], str(row["count"]), row["provider"], row["version"]]
            cells += [row["installed"], row["state"]]
            table.rows.append([visible(cell) for cell in cells])
        print_table(console, table)
    texts = [row["text"] for row in report["operators"] if row["text"]]
    for text in texts:
        print_plain(console, f"\n{visible(text)}")
    verdict = "It can be loaded." if report["loadable"] else "It cannot be loaded here."
    print_plain(console, f"\n{console.bold(verdict)}")
    if report["install"]:
        print_whole(visible(f"If you trust the source of the file: {report['install']}"))
