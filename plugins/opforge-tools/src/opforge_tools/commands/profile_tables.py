"""Table of ``opforge profile``."""

from collections.abc import Callable, Sequence

from opforge.base.text_lines import visible
from opforge.base.text_tables import Column, TextTable
from opforge.cli.printing.console import open_console, print_plain, print_table
from opforge.profiler.tables import Row

__all__ = ["SORTS", "print_profile"]

#: Sort keys of rows.
SORTS: dict[str, Callable[[Row], float]] = {
    "own": lambda row: row.own,
    "total": lambda row: row.total,
    "count": lambda row: row.count,
    "avg": lambda row: row.mean,
    "min": lambda row: row.least,
    "max": lambda row: row.most,
    "memory": lambda row: row.memory,
}
_COLUMNS = (
    "calls", "own ms", "own %", "total ms", "mean us", "min us", "max us", "memory kB"
)  # fmt: skip


def print_profile(rows: Sequence[Row], seconds: float, sort: str, most: int) -> None:
    """Print the most expensive rows and the duration of the program.

    Parameters
    ----------
    rows : sequence of Row
    seconds : float
        Duration of the program.
    sort : str
        One of `SORTS`.
    most : int
        Maximum number of rows to print.
    """
    timed = [row for row in rows if row.style not in ("counter", "marker")]
    timed.sort(key=SORTS[sort], reverse=True)
    whole = sum(row.own for row in timed)
    names = [Column("name", style="bold", whole=True), Column("of", whole=True)]
    table = TextTable([*names, *(Column(text, whole=True, right=True) for text in _COLUMNS)])
    for row in timed[:most]:
        table.rows.append([visible(row.name), visible(row.category), *_cells(row, whole)])
    console = open_console()
    print_table(console, table)
    hidden = f", {len(timed) - most} more rows not shown" if len(timed) > most else ""
    print_plain(console, f"\n{seconds:.3f} s, of which {whole / 1e9:.3f} s in the rows{hidden}")


def _cells(row: Row, whole: float) -> list[str]:
    own = [f"{row.own / 1e6:.3f}", f"{100 * row.own / whole:.1f}"] if row.own else ["", ""]
    times = [f"{value / 1e3:.2f}" for value in (row.mean, row.least, row.most)]
    return [str(row.count), *own, f"{row.total / 1e6:.3f}", *times, f"{row.memory / 1e3:.1f}"]
