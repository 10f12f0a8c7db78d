"""A report as a table for people: printed by the command line and in the message of a failure."""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from .outcome import Outcome

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["places_of", "table_of", "text_of"]

#: Width of the text where it is not for a terminal, so that messages break the same way everywhere.
_WIDTH = 110
_STYLES = {
    "passed": "green",
    "warned": "yellow",
    "failed": "bold red",
    "expected failure": "yellow",
    "skipped": "dim",
}


def table_of(outcomes: Iterable[Outcome], measured: Mapping[str, float]) -> "Table":
    """Return the table: check, what became of it, on how many samples, and why; then figures."""
    # Here and not above: rich takes longer to import than a check takes to run.
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for heading in ("check", "result", "samples", "why"):
        justify: Literal["left", "right"] = "right" if heading == "samples" else "left"
        table.add_column(heading, justify=justify, overflow="fold")
    for outcome in outcomes:
        table.add_row(
            outcome.check,
            Text(outcome.status, style=_STYLES[outcome.status]),
            str(outcome.samples) if outcome.samples else "",
            Text(outcome.message),
        )
    for name, value in measured.items():
        table.add_row(name, "measured", "", f"{value:,.4g}")
    return table


def places_of(outcomes: Iterable[Outcome]) -> list[str]:
    """Return file and line of each failure that has them: lines that no width may break."""
    return [f"{outcome.check}: {outcome.where}" for outcome in outcomes if outcome.where]


def text_of(outcomes: Sequence[Outcome], measured: Mapping[str, float]) -> str:
    """Return the table as plain text, and the places of failures below."""
    from rich.console import Console

    console = Console(file=io.StringIO(), width=_WIDTH, color_system=None)
    with console.capture() as capture:
        console.print(table_of(outcomes, measured))
    lines = [line.rstrip() for line in capture.get().splitlines()]
    return "\n".join([*lines, *places_of(outcomes)])
