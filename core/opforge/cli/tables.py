"""Tables for people: the rows of `rows`, printed with rich."""

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..op.naming import pin_line

__all__ = ["print_details", "print_operators", "print_plugins"]

Row = dict[str, Any]
#: Width where the output is no terminal: one line for each row, for grep and for files.
_PIPE_WIDTH = 240
_NONE = "No plugin is installed. All first-party ones: pip install 'opforge[std]'"


def _console() -> Console:
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_PIPE_WIDTH)


def print_operators(rows: list[Row]) -> None:
    """Print operators and layers, and how many there are."""
    console = _console()
    for kind, title in (("operator", "Operators"), ("layer", "Layers")):
        some = [row for row in rows if row["kind"] == kind]
        if not some:
            continue
        table = Table(
            title=f"{title} ({len(some)})", title_justify="left", box=None, pad_edge=False
        )
        table.add_column("name", style="bold", no_wrap=True)
        if kind == "operator":
            table.add_column("arguments")
            table.add_column("outputs")
        table.add_column("plugin", no_wrap=True)
        table.add_column("version", no_wrap=True)
        table.add_column("description")
        for row in some:
            inputs = [", ".join(row["arguments"]), ", ".join(row["outputs"])]
            cells = [row["name"], *(inputs if kind == "operator" else [])]
            cells += [row["plugin"], row["version"], _description(row)]
            table.add_row(*map(escape, cells))
        console.print(table)
        console.print()
    if not any(row["kind"] == "layer" or row["plugin"] != "opforge" for row in rows):
        console.print(escape(_NONE))


def _description(row: Row) -> str:
    mark = f" ({row['state']})" if row["state"] in ("disabled", "failed") else ""
    return f"{row['doc']}{mark}"


def print_details(rows: list[Row]) -> None:
    """Print each provider's declaration of one name."""
    console = _console()
    for row in rows:
        _print_one(console, row)
    for kind in ("operator", "layer"):
        providers = [row["plugin"] for row in rows if row["kind"] == kind]
        if len(providers) > 1:
            lines = " or ".join(pin_line(rows[0]["name"], name) for name in providers)
            console.print(f"Several plugins provide this {kind}; choose one with {escape(lines)}")


def _print_one(console: Console, row: Row) -> None:
    console.print(f"[bold]{escape(row['name'])}[/bold]  {row['kind']}")
    console.print(escape(row["description"] or "no description"))
    console.print()
    facts = Table(box=None, show_header=False, pad_edge=False)
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    for label, value in _facts(row):
        if value:
            facts.add_row(label, escape(value))
    console.print(facts)
    if row["attributes"]:
        console.print()
        table = Table(title="Attributes", title_justify="left", box=None, pad_edge=False)
        for column in ("name", "type", "description"):
            table.add_column(column)
        for attribute in row["attributes"]:
            table.add_row(*map(escape, (attribute["name"], attribute["type"], attribute["doc"])))
        console.print(table)
    console.print()


def _facts(row: Row) -> list[tuple[str, str]]:
    docs = row["argument_docs"]
    inputs = [f"{name} ({docs[name]})" if name in docs else name for name in row["arguments"]]
    named = [f"{key}={value}" for key, value in row["named_attributes"].items()]
    version = row["operator_version"]
    return [
        ("arguments", ", ".join(inputs)),
        ("outputs", ", ".join(row["outputs"])),
        ("auxiliary states", ", ".join(row["auxiliary_states"])),
        ("aliases", ", ".join(row["aliases"])),
        ("named attributes", ", ".join(named)),
        ("operator version", "" if version is None else str(version)),
        ("provider", f"{row['plugin']} {row['version']} ({row['state']})"),
        ("class", row["class"]),
        ("file", row["file"]),
        ("error", row["error"]),
    ]


def print_plugins(rows: list[Row], checked: bool) -> None:
    """Print installed plugins, then every error in full."""
    console = _console()
    if not rows:
        console.print(escape(_NONE))
        return
    table = Table(title=f"Plugins ({len(rows)})", title_justify="left", box=None, pad_edge=False)
    for column in ("plugin", "version", "state"):
        table.add_column(column, no_wrap=True)
    for column in ("operators", "layers", "error"):
        table.add_column(column)
    for row in rows:
        shown = [name for name in row["operators"] if not name.startswith("_")]
        error = row["error"] or "; ".join(row["problems"])
        cells = [row["plugin"], row["version"], row["state"]]
        cells += [", ".join(shown), ", ".join(row["layers"]), error]
        table.add_row(*map(escape, cells))
    console.print(table)
    for row in rows:
        if row["traceback"]:
            console.print(f"\n[bold]{escape(row['plugin'])}[/bold]: {escape(row['traceback'])}")
    if not checked:
        console.print("\nNo plugin was imported; opforge plugins --check loads each one.")
