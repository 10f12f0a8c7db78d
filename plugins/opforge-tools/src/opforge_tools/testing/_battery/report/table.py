"""Text table of a report, for the command line and for error messages."""

from collections.abc import Iterable, Mapping, Sequence

from opforge.base.text_lines import visible
from opforge.base.text_tables import Column, TextTable

from .outcome import Outcome

__all__ = ["location_lines", "table_of", "text_of"]

#: Width of text that is not for a terminal, so that messages wrap identically everywhere.
_WIDTH = 110
_STYLES = {
    "passed": "green",
    "warned": "yellow",
    "failed": "bold red",
    "expected failure": "yellow",
    "skipped": "dim",
}


def table_of(outcomes: Iterable[Outcome], measured: Mapping[str, float]) -> TextTable:
    """Return the table of check, status, number of samples and message; then the figures."""
    result = Column("result", style=_STYLES, whole=True)
    table = TextTable([Column("check"), result, Column("samples", right=True), Column("why")])
    for outcome in outcomes:
        samples = str(outcome.samples) if outcome.samples else ""
        table.rows.append((outcome.check, outcome.status, samples, visible(outcome.message)))
    for name, value in measured.items():
        table.rows.append((name, "measured", "", f"{value:,.4g}"))
    return table


def location_lines(outcomes: Iterable[Outcome]) -> list[str]:
    """Return the file and line of each failure, if known, as lines that must not be wrapped."""
    return [f"{outcome.check}: {outcome.where}" for outcome in outcomes if outcome.where]


def text_of(outcomes: Sequence[Outcome], measured: Mapping[str, float]) -> str:
    """Return the table as plain text, followed by the locations of failures."""
    lines = table_of(outcomes, measured).lines(_WIDTH)
    return "\n".join([*lines, *location_lines(outcomes)])
