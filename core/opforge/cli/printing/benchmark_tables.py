"""Tables of ``opforge model bench``."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...base.text_lines import visible
from ...base.text_tables import Column, TextTable
from .console import open_console, print_plain, print_table

__all__ = ["print_benchmark"]

_MIB = 2.0**20


def print_benchmark(report: Mapping[str, Any], most: int) -> None:
    """Print a report of `opforge.cli.networks.benchmark.measure`.

    Parameters
    ----------
    report : mapping
    most : int
        Maximum number of operators.
    """
    console = open_console()
    inputs = [
        f"{name} {'x'.join(map(str, row['shape']))} {row['dtype']}"
        for name, row in report["inputs"].items()
    ]
    print_plain(console, visible(f"inputs: {', '.join(inputs)}"))
    print_plain(console, f"threads for one request: {report['threads']}\n")
    print_table(console, _engine_table(report))
    if "difference" in report:
        text = f"\nThe outputs differ by {report['difference']:.1e} of the largest element."
        print_plain(console, text)
    print_plain(console, "")
    print_table(console, _operator_table(report["operators"], most))


def _engine_table(report: Mapping[str, Any]) -> TextTable:
    """Return a row for each figure and a column for each engine, and the ratio of two."""
    engines = report["engines"]
    names = list(engines)
    columns = [Column(""), *(Column(name, whole=True, right=True) for name in names)]
    if len(names) > 1:
        columns.append(Column("ratio", whole=True, right=True))
    table = TextTable(columns)
    for text, key, unit, digits in _rows(report["clients"]):
        figures = [engines[name][key] for name in names]
        cells = ["-" if f is None else f"{f / unit:.{digits}f}" for f in figures]
        if len(names) > 1:
            cells.append("-" if None in figures else f"{figures[0] / figures[1]:.2f}")
        table.rows.append([text, *cells])
    return table


def _rows(clients: int) -> list[tuple[str, str, float, int]]:
    """Return the text, key, unit and number of decimals of each row."""
    senders = f"{clients} client{'' if clients == 1 else 's'}"
    return [
        ("first answer, from the file (ms)", "first_ms", 1, 1),
        ("latency, median (ms)", "median_ms", 1, 3),
        ("latency, 99th percentile (ms)", "p99_ms", 1, 3),
        ("latency, minimum (ms)", "minimum_ms", 1, 3),
        (f"throughput, {senders} (requests/s)", "requests_per_second", 1, 1),
        ("memory, peak (MiB)", "peak_bytes", _MIB, 1),
        ("memory, resident (MiB)", "resident_bytes", _MIB, 1),
        ("memory of imported libraries (MiB)", "imported_bytes", _MIB, 1),
    ]


def _operator_table(rows: Sequence[Mapping[str, Any]], most: int) -> TextTable:
    columns = [Column("slowest operators", most=60), Column("type", whole=True)]
    columns += [Column(text, whole=True, right=True) for text in ("ms", "share")]
    table = TextTable(columns)
    for row in rows[:most]:
        cells = [f"{row['ms']:.3f}", f"{100 * row['share']:.1f} %"]
        table.rows.append([visible(row["name"]), visible(row["type"]), *cells])
    return table
