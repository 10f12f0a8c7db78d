"""Tables of plugins: installed plugins, plans, verification and findings."""

import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...base.text_lines import visible
from ...base.text_tables import Column, TextTable
from ...op.registry.naming import public_name
from ...plugin.lock_file import LockedPlugin
from .console import (
    FULL_WIDTH,
    NO_PLUGIN,
    Console,
    open_console,
    print_plain,
    print_table,
    print_whole,
)

__all__ = [
    "print_differences",
    "print_findings",
    "print_locked",
    "print_plan",
    "print_plugin",
    "print_plugins",
    "print_verified",
]

Row = dict[str, Any]


def print_plugins(rows: list[Row], checked: bool) -> None:
    """Print installed plugins, then each error in full."""
    console = open_console()
    if not rows:
        print_whole(NO_PLUGIN)
        return
    if console.width >= FULL_WIDTH:
        print_table(console, _full_table(rows))
    else:
        print_whole(console.bold(f"Plugins ({len(rows)})"))
        for row in rows:
            _print_narrow(console, row)
    for row in rows:
        _print_errors(console, row)
    if not checked:
        print_plain(console, "\nNo plugin was imported. To load each one: opforge plugins --check")


def _full_table(rows: list[Row]) -> TextTable:
    facts = [Column(heading, whole=True) for heading in ("plugin", "version", "state")]
    names = [Column(heading) for heading in ("operators", "layers", "others")]
    table = TextTable([*facts, *names], title=f"Plugins ({len(rows)})")
    for row in rows:
        cells = [row["plugin"], row["version"], row["state"], *_contributions(row).values()]
        table.rows.append([visible(cell) for cell in cells])
    return table


def _print_narrow(console: Console, row: Row) -> None:
    """Print a plugin, and its contributions below it."""
    who = f"{console.bold(visible(row['plugin']))} {visible(row['version'])}"
    print_plain(console, f"{who}  {visible(row['state'])}")
    for label, names in _contributions(row).items():
        text = visible(f"{label}: {names}") if names else ""
        for line in textwrap.wrap(
            text,
            console.width,
            initial_indent=" " * 2,
            subsequent_indent=" " * 4,
            break_on_hyphens=False,
        ):
            print_whole(line)


def _contributions(row: Row) -> dict[str, str]:
    """Return the public names of a plugin's contributions."""
    called = map(public_name, row["operators"])
    return {
        "operators": ", ".join(name for name in called if not name.startswith("_")),
        "layers": ", ".join(row["layers"]),
        "others": _others(row),
    }


def print_plugin(row: Row) -> None:
    """Print everything about one plugin."""
    console = open_console()
    print_plain(console, f"{console.bold(visible(row['plugin']))}  {visible(row['version'])}")
    facts = TextTable([Column(style="dim", whole=True), Column()])
    modules = ", ".join(f"{name} = {value}" for name, value in row["modules"].items())
    state = f"{row['state']}: {row['reason']}" if row["reason"] else row["state"]
    for label, text in (
        ("state", state),
        ("plugin modules", modules),
        ("files", ", ".join(row["files"])),
        ("operators", ", ".join(row["operators"])),
        ("layers", ", ".join(row["layers"])),
        ("others", _others(row)),
        ("requires", ", ".join(row["requires"])),
        ("unmet requirements", "; ".join(row["unmet"])),
        ("time to load", f"{row['seconds'] * 1000:.1f} ms" if row["seconds"] else ""),
        ("record", row["record"]),
    ):
        if text:
            facts.rows.append((label, visible(text)))
    print_table(console, facts)
    _print_errors(console, row)


def _others(row: Row) -> str:
    """Return the contributions that are neither operators nor layers, in words."""
    return "; ".join(f"{noun} {', '.join(names)}" for noun, names in row["others"].items())


def print_plan(rows: list[Row]) -> None:
    """Print what installing wheels would change."""
    console = open_console()
    for row in rows:
        before = f", replaces {row['installed']}" if row["installed"] else ""
        who = console.bold(visible(f"{row['plugin']} {row['version']}"))
        print_plain(console, f"{who}{before}")
        for text in _changes(row):
            print_whole(f"  {visible(text)}")
    print_plain(console, "\nNothing was installed, and no code of the wheels was run.")


def _changes(row: Row) -> list[str]:
    if not row["modules"] and not row["commands"]:
        return ["not a plugin: it has no entry point in the group opforge"]
    lines = [f"adds the {item['kind']} {item['name']}" for item in row["adds"]]
    lines += [f"removes the {item['kind']} {item['name']}" for item in row["removes"]]
    for item in row["shadowed"]:
        name = item["name"]
        if item["kind"] == "command":
            lines.append(f"the command {name} remains opforge's own; this one cannot be run")
            continue
        lines.append(
            f"the {item['kind']} {name} remains opforge's own; to use this one, write "
            f"{row['plugin']}::{name}, or run `opforge plugins pin {name} {row['plugin']}`"
        )
    for item in row["ambiguous"]:
        others = ", ".join(item["with"])
        lines.append(
            f"makes the {item['kind']} {item['name']} ambiguous, which {others} also provides: "
            f"opforge plugins pin {item['name']} {item['with'][0]}"
        )
    lines += [f"requires {text}" for text in row["requires"]]
    lines += [f"{item['message']}: {item['remedy']}" for item in row["unmet"]]
    if row["refused"]:
        lines.append(f"would not be loaded: {row['refused']}")
    return lines


def print_verified(rows: list[Row]) -> None:
    """Print the result of comparing installed files with RECORD."""
    console = open_console()
    if not rows:
        print_whole(NO_PLUGIN)
        return
    keys = ("plugin", "version", "state", "record")
    table = TextTable([Column(key) for key in keys])
    table.rows += [[visible(row[key]) for key in keys] for row in rows]
    print_table(console, table)
    for row in rows:
        for file, what in sorted(row["files"].items()):
            print_plain(console, visible(f"{row['plugin']}: {file} {what}"))


def print_locked(plugins: Sequence[LockedPlugin], path: Path) -> None:
    """Print what a lock file has."""
    table = TextTable([Column(key) for key in ("plugin", "version", "interface", "digest")])
    for each in plugins:
        table.rows.append([each.name, each.version, each.abi, each.record[:23] or "not locked"])
    console = open_console()
    print_table(console, table)
    print_plain(console, visible(f"written to {path}"))


def print_differences(differences: Mapping[str, str], path: Path) -> None:
    """Print how plugins differ from a lock file."""
    console = open_console()
    for name, why in differences.items():
        print_plain(console, f"{console.bold(visible(name))}: {visible(why)}")
    if not differences:
        print_plain(console, visible(f"All is installed as locked in {path}."))


def print_findings(rows: Iterable[Row]) -> int:
    """Print each finding as it occurs, with its fix; return the number of problems."""
    console = open_console()
    count = 0
    for row in rows:
        print_plain(console, f"{console.bold(visible(row['subject']))}: {visible(row['message'])}")
        if row["remedy"]:
            print_whole(f"    {visible(row['remedy'])}")
            count += 1
        # The next one may be seconds away, and the output a pipe.
        sys.stdout.flush()
    total = f"\n{count} problem{'s' * (count > 1)} found."
    print_plain(console, total if count else "No problems found.")
    return count


def _print_errors(console: Console, row: Row) -> None:
    """Print the problems of a plugin, with the traceback of its failure."""
    who = console.bold(visible(f"{row['plugin']} {row['version']}"))
    if row["error"]:
        print_plain(console, f"\n{who}: {console.paint(visible(row['error']), 'red')}")
        # Not wrapped, so that the traceback can be copied.
        sys.stdout.write(f"{visible(row['traceback'])}\n" if row["traceback"] else "")
    for problem in row["problems"]:
        print_plain(console, f"\n{who}: {visible(problem)}")
    if row["remedy"]:
        print_whole(f"{who}: {visible(row['remedy'])}")
