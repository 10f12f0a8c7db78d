"""``opforge model check``: what a saved model needs and holds, without executing anything of it."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ...base.errors import OpforgeError
from ..printing.console import fail, literal, open_console, plain_table, print_json, print_plain

__all__ = ["model"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
File = Annotated[
    Path, typer.Argument(help="A graph (prefix-symbol.json) or arrays (prefix-0001.params).")
]

model = typer.Typer(help="Look into files of models.", no_args_is_help=True)


@model.callback()
def _group() -> None:
    """Look into files of models."""


@model.command("check")
def check(file: File, as_json: Json = False) -> None:
    """Show what a model needs and whether it is installed; exit status 1 if it cannot be loaded."""
    from ...reference import rows
    from ...reference.model_file import explain

    rows.import_core()
    try:
        report = explain(file)
    except OSError as error:
        fail(
            f"{file} cannot be read: {error.strerror}. Give the file of a graph "
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
    table = plain_table(literal(f"{report['count']} arrays, {report['bytes']} bytes"))
    table.add_column("name", overflow="fold")
    table.add_column("shape", no_wrap=True)
    table.add_column("type", no_wrap=True)
    for row in report["arrays"]:
        shape = " x ".join(map(str, row["shape"]))
        table.add_row(*map(literal, (row["name"], shape, row["dtype"])))
    print_plain(console, table)


def _print_graph(report: dict[str, Any]) -> None:
    console = open_console()
    facts = [
        f"{report['nodes']} nodes, of them {len(report['inputs'])} variables",
        f"format of MXNet {report['mxnet_version']}",
        f"primitive operators: {', '.join(report['primitive']) or 'none'}",
    ]
    print_plain(console, "\n".join(map(literal, facts)))
    if report["operators"]:
        title = "Operators beyond the primitive set"
        if not report["has_bill"]:
            title += " (the file does not say from which plugins)"
        table = plain_table(f"\n{title}")
        for column in ("operator", "count", "plugin", "saved with", "installed", "state"):
            table.add_column(column, overflow="fold")
        for row in report["operators"]:
            cells = [row["name"], str(row["count"]), row["provider"], row["version"]]
            table.add_row(*map(literal, [*cells, row["installed"], row["state"]]))
        print_plain(console, table)
    texts = [row["text"] for row in report["operators"] if row["text"]]
    for text in texts:
        print_plain(console, f"\n{literal(text)}")
    verdict = "It can be loaded." if report["loadable"] else "It cannot be loaded here."
    print_plain(console, f"\n[bold]{verdict}[/bold]")
    if report["install"]:
        print_plain(console, literal(f"If you trust where the file is from: {report['install']}"))
