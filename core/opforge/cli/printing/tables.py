"""Tables of contributions, from the rows of `reference.listing` and `reference.rows`."""

import re
import textwrap
from collections import Counter
from typing import Any

from ...base.text_lines import visible
from ...base.text_tables import Column, TextTable
from ...op.registry.kinds import KINDS, Kind
from ...op.registry.naming import pin_line, public_name
from .console import FULL_WIDTH, Console, open_console, print_plain, print_table, print_whole
from .descriptions import description_text

__all__ = ["print_contributions", "print_details", "print_groups", "print_matches"]

Row = dict[str, Any]
#: Maximum width of names on narrow terminals; longer ones are wrapped.
_NAME_WIDTH = 32
#: Commands printed below an overview.
_MORE = {
    "opforge ops list": "list all of them, with descriptions",
    "opforge ops search WORD": "search names, kinds and descriptions",
    "opforge ops show NAME": "show one of them in full",
}
#: Facts that are never wrapped, so that they can be copied.
_COPIED = {"class", "file"}


def print_contributions(rows: list[Row]) -> None:
    """Print the number of contributions of each plugin, then a section for each kind."""
    console = open_console()
    if rows:
        print_table(console, _counts(rows))
        print_whole("")
    print_matches(rows)


def print_matches(rows: list[Row]) -> None:
    """Print a section for each kind in the order of the rows, and one for other frameworks."""
    console = open_console()
    sections: dict[str, list[Row]] = {}
    for row in rows:
        sections.setdefault(row["kind"] if row["kind"] in KINDS else "", []).append(row)
    for kind, its in sections.items():
        if kind:
            _print_kind(console, KINDS[kind], its)
        else:
            print_table(console, _familiar_table(its))
        print_whole("")


def _print_kind(console: Console, kind: Kind, rows: list[Row]) -> None:
    title = f"{kind.plural.capitalize()} ({len(rows)})"
    if console.width >= FULL_WIDTH:
        print_table(console, _full_table(title, rows, kind.noun))
    else:  # a table for each plugin, with its name as title
        print_whole(console.bold(title))
        for provider, its in _by_plugin(rows).items():
            print_whole("")
            print_table(console, _narrow_table(f"{provider} ({len(its)})", its))


def _familiar_table(rows: list[Row]) -> TextTable:
    columns = [Column("name", style="bold", most=_NAME_WIDTH), Column("of"), Column("in opforge")]
    table = TextTable(columns, title=f"Names of other frameworks ({len(rows)})")
    table.rows = [(row["name"], row["kind"], row["doc"]) for row in rows]
    return table


def print_groups(rows: list[Row]) -> None:
    """Print the number of contributions of each plugin by kind, and further commands."""
    console = open_console()
    if rows:
        print_table(console, _counts(rows))
        print_whole("")
    for command, help_text in _MORE.items():
        print_whole(f"{command:24}  {help_text}")


def _by_plugin(rows: list[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: (row["plugin"], row["version"])):
        found.setdefault(f"{row['plugin']} {row['version']}", []).append(row)
    return found


def _counts(rows: list[Row]) -> TextTable:
    """Return a table of each plugin's number of contributions by kind."""
    table = TextTable([Column(style="bold", whole=True), Column()])
    for provider, its in _by_plugin(rows).items():
        numbers = Counter(row["kind"] for row in its)
        words = [
            f"{numbers[kind]} {kind if numbers[kind] == 1 else KINDS[kind].plural}"
            for kind in KINDS
            if numbers[kind]
        ]
        table.rows.append((visible(provider), ", ".join(words)))
    return table


def _full_table(title: str, rows: list[Row], kind: str) -> TextTable:
    is_called = kind == "operator"
    table = TextTable(
        [
            Column("name", style="bold", whole=True),
            *([Column("arguments"), Column("outputs")] if is_called else []),
            Column("plugin", whole=True),
            Column("version", whole=True),
            Column("description"),
        ],
        title=title,
    )
    for row in rows:
        inputs = [", ".join(row["arguments"]), ", ".join(row["outputs"])]
        cells = [public_name(row["name"]), *(inputs if is_called else [])]
        cells += [row["plugin"], row["version"], _description(row)]
        table.rows.append([visible(cell) for cell in cells])
    return table


def _narrow_table(title: str, rows: list[Row]) -> TextTable:
    """Return a table of names and descriptions; ``opforge ops show`` prints the rest."""
    name = Column("name", style="bold", most=_NAME_WIDTH)
    table = TextTable([name, Column("description")], title=visible(title))
    for row in rows:
        table.rows.append((visible(public_name(row["name"])), visible(_description(row))))
    return table


def _description(row: Row) -> str:
    mark = f" ({row['state']})" if row["state"] in ("disabled", "failed") else ""
    return f"{row['doc']}{mark}"


def print_details(rows: list[Row]) -> None:
    """Print the details of a name from each provider."""
    console = open_console()
    for row in rows:
        _print_one(console, row)
    for kind in KINDS:
        providers = [row["plugin"] for row in rows if row["kind"] == kind]
        if len(providers) > 1:
            print_plain(console, f"Several plugins provide this {kind}; choose one:")
            for name in providers:
                print_whole(f"    {visible(pin_line(rows[0]['name'], name))}")


def _print_one(console: Console, row: Row) -> None:
    print_whole(f"{console.bold(visible(public_name(row['name'])))}  {row['kind']}")
    text = description_text(row["description"] or "no description", console.width)
    print_whole(visible(text))
    print_whole("")
    _print_facts(console, [(label, value) for label, value in _facts(row) if value])
    for title, part, columns in _SECTIONS:
        if row[part]:
            print_whole("")
            table = TextTable([Column(text) for text in columns.values()], title=title)
            for line in row[part]:
                table.rows.append([visible(line[key]) for key in columns])
            print_table(console, table)
    print_whole("")


#: Title, key in the row, and columns (key: heading) of the tables of an operator.
_SECTIONS = (
    ("Attributes", "attributes", {"name": "name", "type": "type", "doc": "description"}),
    ("Types", "types", {"name": "name", "role": "role", "types": "element types"}),
)


def _print_facts(console: Console, facts: list[tuple[str, str]]) -> None:
    indent = max(len(label) for label, _ in facts) + 2
    for label, value in facts:
        text = visible(value)
        width = max(console.width - indent, _NAME_WIDTH)
        first, *rest = [text] if label in _COPIED else _wrap_text(text, width)
        print_whole(f"{console.paint(label.ljust(indent), 'dim')}{first}")
        for line in rest:
            print_whole(" " * indent + line)


def _wrap_text(text: str, width: int) -> list[str]:
    # Package names contain hyphens.
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]


_DEFAULT = re.compile(r"default=('[^']*'|\([^)]*\)|\[[^\]]*\]|[^,]*)")


def _call(row: Row) -> str:
    """Return the call; of an operator, with its states and the defaults of its attributes."""
    if row["kind"] != "operator":
        return str(row["call"])
    parts = [*row["arguments"], *row["auxiliary_states"]]
    for attribute in row["attributes"]:
        found = _DEFAULT.search(attribute["type"])
        default = found[1] if found else ""
        # MXNet's type descriptions quote numbers, too.
        default = default.strip("'") if re.fullmatch(r"'(-?[\d.e-]+|None)'", default) else default
        parts.append(attribute["name"] + (f"={default}" if default else ""))
    return f"{row['call']}({', '.join(parts)})"


#: By what an exporter writes an operator -> text.
_EXPORTS = {
    "rule": "to {}",
    "composition": "to {}, if the operators that it is composed of are",
    "": "not to {}",
}


def _exports_text(exports: dict[str, str]) -> str:
    return "; ".join(_EXPORTS[how].format(name) for name, how in exports.items())


def _facts(row: Row) -> list[tuple[str, str]]:
    docs = row["argument_docs"]
    inputs, states = (
        [f"{name} ({docs[name]})" if name in docs else name for name in row[key]]
        for key in ("arguments", "auxiliary_states")
    )
    named = [f"{key}={value}" for key, value in row["named_attributes"].items()]
    rules = [f"{kind} ({', '.join(names)})" for kind, names in row["rules"].items()]
    version = row["operator_version"]
    return [
        ("call", _call(row)),
        ("category", row["category"]),
        ("arguments", ", ".join(inputs)),
        ("outputs", ", ".join(row["outputs"])),
        ("auxiliary states", ", ".join(states)),
        ("aliases", ", ".join(row["aliases"])),
        ("named attributes", ", ".join(named)),
        ("added rules", ", ".join(rules)),
        ("exports", _exports_text(row["exports"])),
        ("operator version", "" if version is None else str(version)),
        ("deprecated since", row["deprecated"]),
        ("provider", f"{row['plugin']} {row['version']} ({row['state']})"),
        ("class", row["class"]),
        ("file", row["file"]),
        *row.get("figures", {}).items(),
        ("error", row["error"]),
    ]
