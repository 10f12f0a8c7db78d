"""Tables of things for people: the rows of `reference.rows`, printed with rich."""

import textwrap
from collections import Counter
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ...op.registry.kinds import KINDS
from ...op.registry.naming import pin_line, public_name
from .console import (
    FULL_WIDTH,
    PIPE_WIDTH,
    literal,
    open_console,
    plain_table,
    print_plain,
    print_whole,
    visible,
)
from .descriptions import description_text

__all__ = ["print_details", "print_things"]

Row = dict[str, Any]
#: Where the terminal is narrow, longer names are folded, so that descriptions have room.
_NAME_WIDTH = 32
#: Facts that are never broken.
_COPIED = {"class", "file"}


def print_things(rows: list[Row]) -> None:
    """Print how many things each plugin brings, then a section for each kind."""
    console = open_console()
    if rows:
        print_plain(console, _counts(rows))
        print_plain(console, "")
    for kind in KINDS:
        some = [row for row in rows if row["kind"] == kind]
        if not some:
            continue
        title = f"{_plural(kind)} ({len(some)})"
        if console.width >= FULL_WIDTH:
            print_plain(console, _full_table(title, some, kind))
        else:  # a table for each plugin, whose name stands above it and not in each row
            print_plain(console, f"[bold]{title}[/bold]\n")
            for provider, its in _by_plugin(some).items():
                print_plain(console, _narrow_table(f"{provider} ({len(its)})", its), "")
        print_plain(console, "")


def _plural(kind: str) -> str:
    return KINDS[kind].plural.capitalize()


def _by_plugin(rows: list[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: (row["plugin"], row["version"])):
        found.setdefault(f"{row['plugin']} {row['version']}", []).append(row)
    return found


def _counts(rows: list[Row]) -> Table:
    """Return a line for each plugin: how many things of which kind."""
    table = plain_table(show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for provider, its in _by_plugin(rows).items():
        numbers = Counter(row["kind"] for row in its)
        words = [
            f"{numbers[kind]} {kind if numbers[kind] == 1 else KINDS[kind].plural}"
            for kind in KINDS
            if numbers[kind]
        ]
        table.add_row(literal(provider), literal(", ".join(words)))
    return table


def _full_table(title: str, rows: list[Row], kind: str) -> Table:
    table = plain_table(literal(title))
    table.add_column("name", style="bold", no_wrap=True)
    if kind == "operator":
        table.add_column("arguments", max_width=PIPE_WIDTH)
        table.add_column("outputs", max_width=PIPE_WIDTH)
    table.add_column("plugin", no_wrap=True)
    table.add_column("version", no_wrap=True)
    table.add_column("description")
    for row in rows:
        inputs = [", ".join(row["arguments"]), ", ".join(row["outputs"])]
        cells = [public_name(row["name"]), *(inputs if kind == "operator" else [])]
        table.add_row(*map(literal, [*cells, row["plugin"], row["version"], _description(row)]))
    return table


def _narrow_table(title: str, rows: list[Row]) -> Table:
    """Return names and descriptions: for the rest there is ``opforge ops show``."""
    table = plain_table(literal(title))
    table.add_column("name", style="bold", overflow="fold", max_width=_NAME_WIDTH)
    table.add_column("description")
    for row in rows:
        table.add_row(literal(public_name(row["name"])), literal(_description(row)))
    return table


def _description(row: Row) -> str:
    mark = f" ({row['state']})" if row["state"] in ("disabled", "failed") else ""
    return f"{row['doc']}{mark}"


def print_details(rows: list[Row]) -> None:
    """Print each provider's declaration of one name."""
    console = open_console()
    for row in rows:
        _print_one(console, row)
    for kind in KINDS:
        providers = [row["plugin"] for row in rows if row["kind"] == kind]
        if len(providers) > 1:
            print_plain(console, f"Several plugins provide this {kind}; choose one:")
            for name in providers:
                print_whole(console, f"    {literal(pin_line(rows[0]['name'], name))}")


def _print_one(console: Console, row: Row) -> None:
    print_plain(console, f"[bold]{literal(public_name(row['name']))}[/bold]  {row['kind']}")
    told = description_text(row["description"] or "no description", console.width)
    print_whole(console, literal(told))
    print_plain(console, "")
    _print_facts(console, [(label, value) for label, value in _facts(row) if value])
    if row["attributes"]:
        print_plain(console, "")
        table = plain_table("Attributes")
        for column in ("name", "type", "description"):
            table.add_column(column)
        for attribute in row["attributes"]:
            table.add_row(*map(literal, (attribute["name"], attribute["type"], attribute["doc"])))
        print_plain(console, table)
    print_plain(console, "")


def _print_facts(console: Console, facts: list[tuple[str, str]]) -> None:
    indent = max(len(label) for label, _ in facts) + 2
    for label, value in facts:
        told = visible(value)
        room = max(console.width - indent, _NAME_WIDTH)
        first, *rest = [told] if label in _COPIED else _wrapped(told, room)
        print_whole(console, f"[dim]{label:<{indent}}[/dim]{escape(first)}")
        for line in rest:
            print_whole(console, " " * indent + escape(line))


def _wrapped(text: str, width: int) -> list[str]:
    # Names of packages have hyphens.
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]


def _facts(row: Row) -> list[tuple[str, str]]:
    docs = row["argument_docs"]
    inputs = [f"{name} ({docs[name]})" if name in docs else name for name in row["arguments"]]
    named = [f"{key}={value}" for key, value in row["named_attributes"].items()]
    version = row["operator_version"]
    return [
        ("category", row["category"]),
        ("arguments", ", ".join(inputs)),
        ("outputs", ", ".join(row["outputs"])),
        ("auxiliary states", ", ".join(row["auxiliary_states"])),
        ("aliases", ", ".join(row["aliases"])),
        ("named attributes", ", ".join(named)),
        ("operator version", "" if version is None else str(version)),
        ("deprecated since", row["deprecated"]),
        ("provider", f"{row['plugin']} {row['version']} ({row['state']})"),
        ("class", row["class"]),
        ("file", row["file"]),
        *row.get("figures", {}).items(),
        ("error", row["error"]),
    ]
