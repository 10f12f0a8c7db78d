"""Reports of measurements as text tables, for the command line and the documentation.

A report is a JSON-serializable dictionary with the ``"kind"`` of measurement, the ``"machine"``
and the ``"rows"``. Stored reports and new ones are handled alike.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from .case import LIBRARIES, Case

__all__ = [
    "NONE",
    "Sheet",
    "figure",
    "limits_line",
    "listing",
    "machine_line",
    "noise",
    "rate",
    "seconds",
    "share",
    "sheets",
    "target",
]

Report = dict[str, Any]
Row = dict[str, Any]
#: Shown for missing figures.
NONE = "-"


@dataclass
class Sheet:
    """Text table.

    Attributes
    ----------
    title : str
    columns : list of str
    rows : list of list of str
    notes : list of str
        Lines below the table.
    is_text : bool
        Whether all columns hold text; otherwise all but the first hold numbers.
    """

    title: str
    columns: list[str]
    rows: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_text: bool = False


def seconds(value: float) -> str:
    """Return a time in a suitable unit with three significant digits.

    Examples
    --------
    >>> [seconds(t) for t in (2.5e-7, 0.00213, 0.0456, 1.5)]
    ['0.250 µs', '2.13 ms', '45.6 ms', '1.50 s']
    """
    for limit, factor, unit in ((1e-3, 1e6, "µs"), (1.0, 1e3, "ms")):
        if abs(value) < limit:
            return f"{_digits(value * factor)} {unit}"
    return f"{_digits(value)} s"


def _digits(value: float) -> str:
    """Return a number with three significant digits."""
    size = abs(value)
    return f"{value:.{0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3}f}"


def machine_line(machine: Row) -> str:
    """Return the description of the machine on one line."""
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    caches = f" ({', '.join(machine['caches'])})" if machine["caches"] else ""
    told = "".join(f", {k}={v}" for k, v in machine.get("blas_overrides", {}).items())
    slowed = f". The environment slows OpenBLAS down: unset {told[2:]}" if told else ""
    return (
        f"{machine['processor']}{caches}, {machine['cores']} cores, {machine['memory_gib']} GiB, "
        f"{machine['system']}, Python {machine['python']}; {versions}; "
        f"kernels {machine['instruction_set']}, {machine['threads']} threads{slowed}"
    )


def limits_line(limits: Row) -> str:
    """Return the machine's limits on one line."""
    return (
        f"Limits of the machine: copying {limits['bytes_per_second'] / 1e9:.1f} GB/s (read and "
        f"written), matrix product {limits['flops_per_second'] / 1e9:.0f} GFLOP/s."
    )


def listing(cases: Iterable[Case]) -> list[Sheet]:
    """Return a table of cases for each group."""
    found: dict[str, Sheet] = {}
    for case in cases:
        columns = ["case", "target", *LIBRARIES]
        sheet = found.setdefault(case.group, Sheet(case.group, columns, is_text=True))
        asked = NONE if case.target is None else f"{case.target:g}"
        texts = (case.expression(library) or NONE for library in LIBRARIES)
        sheet.rows.append([case.name, asked, *texts])
    return list(found.values())


def sheets(report: Report) -> list[Sheet]:
    """Return the tables of a report.

    Raises
    ------
    KeyError
        The kind of the report is unknown.
    """
    return _KINDS[report["kind"]](report)


def _cases(report: Report) -> list[Sheet]:
    found: dict[str, Sheet] = {}
    peers = report["peers"]
    columns = ["case", "opforge"]
    for peer in peers:
        columns += [peer, f"ratio to {peer}"]
    columns += ["target", "noise", "rate"]
    knows_limits = "limits" in report
    if knows_limits:
        columns.append("of limit")
    for row in report["rows"]:
        sheet = found.setdefault(row["group"], Sheet(row["group"], columns))
        cells = [row["name"], figure(row.get("opforge"))]
        for peer in peers:
            ratio = row["ratios"].get(peer)
            cells += [figure(row.get(peer)), NONE if ratio is None else f"{ratio:.2f}"]
        is_asked = report.get("asked", "torch") in peers or row["target"] is None
        cells += [target(row) if is_asked else NONE, noise(row, peers), rate(row)]
        sheet.rows.append([*cells, share(row)] if knows_limits else cells)
        for library in ("opforge", *peers):
            why = _absence(row.get(library) or {})
            if why is not None:
                sheet.notes.append(f"{row['name']}: {library} {': '.join(why)}")
    last = Sheet("", [], notes=[limits_line(report["limits"])] if knows_limits else [])
    last.notes.append(machine_line(report["machine"]))
    return [*found.values(), *_shares(report), last]


def _shares(report: Report) -> list[Sheet]:
    """Return the table of memory and throughput figures, if there are any."""
    libraries = ["opforge", *report["peers"]]
    sheet = Sheet("shares", ["share", *libraries, "target"])
    for row in report.get("shares", ()):
        cells = [row["name"]]
        for library in libraries:
            why = _absence(row[library])
            cells.append(f"{row[library]['share']:.1%}" if why is None else why[0])
            if why is not None:
                sheet.notes.append(f"{row['name']}: {library} {': '.join(why)}")
        sheet.rows.append([*cells, NONE if row["target"] is None else f"{row['target']:.0%}"])
    return [sheet] if sheet.rows else []


def figure(found: Row | None) -> str:
    """Return the time of one library in a row of cases."""
    if found is None:
        return NONE
    why = _absence(found)
    return seconds(found["median"]) if why is None else why[0]


def _absence(found: Row) -> tuple[str, str] | None:
    """Return the text and the reason for missing figures; None if there are figures."""
    for key, told in (("error", "failed"), ("skipped", "skipped")):
        if key in found:
            return told, " ".join(found[key].split())
    return None


def target(row: Row) -> str:
    """Return the target: a ratio to a peer, or a share of the limit."""
    if row["target"] is not None:
        return f"{row['target']:g}"
    return NONE if row["target_share"] is None else f"{row['target_share']:.0%} of limit"


def noise(row: Row, peers: list[str]) -> str:
    """Return the largest relative interquartile range among the libraries."""
    spreads = [(row.get(name) or {}).get("spread") for name in ("opforge", *peers)]
    known = [spread for spread in spreads if spread is not None]
    return f"{max(known):.0%}" if known else NONE


def rate(row: Row) -> str:
    """Return the throughput of opforge: items, FLOPs or bytes per second."""
    if row.get("items_per_second"):
        return f"{row['items_per_second']:,.0f} {row['items']}/s"
    if row["flops_per_second"]:
        return f"{row['flops_per_second'] / 1e9:.1f} GFLOP/s"
    if row["bytes_per_second"]:
        return f"{row['bytes_per_second'] / 1e9:.1f} GB/s"
    return NONE


def share(row: Row) -> str:
    """Return the share of the machine's limit that a case of opforge reaches."""
    return NONE if row["share"] is None else f"{row['share']:.0%}"


def _sizes(report: Report) -> list[Sheet]:
    found = []
    for library, rows in report["rows"].items():
        sheet = Sheet(
            f"nanoseconds per element, {library}",
            ["elements", *(row["name"] for row in rows)],
        )
        for number, point in enumerate(rows[0]["points"]):
            each = (row["points"][number]["per_element"] * 1e9 for row in rows)
            sheet.rows.append([f"{point['elements']:,}", *map(_digits, each)])
        worst = (f"{row['worst']:.2f} at {row['worst_at']:,}" for row in rows)
        sheet.rows.append(["worst step", *worst])
        found.append(sheet)
    found[-1].notes.append(machine_line(report["machine"]))
    return found


def _threads(report: Report) -> list[Sheet]:
    count = report["machine"]["threads"]
    sheet = Sheet("threads", ["case", "1 thread", f"{count} threads", "speedup", "of limit"])
    for row in report["rows"]:
        why = _absence(row)
        if why is not None:
            sheet.rows.append([row["name"], why[0], NONE, NONE, NONE])
            sheet.notes.append(f"{row['name']}: {why[1]}")
            continue
        cells = [row["name"], seconds(row["one"]), seconds(row["several"])]
        sheet.rows.append([*cells, f"{row['speedup']:.2f}", share(row)])
    sheet.notes += [limits_line(report["limits"]), machine_line(report["machine"])]
    return [sheet]


def _memory(report: Report) -> list[Sheet]:
    sheet = Sheet("peak memory", ["case"])
    for library in report["libraries"]:
        sheet.columns += [f"{library}, step", f"{library}, beyond import"]
    for row in report["rows"]:
        cells = [row["name"]]
        for library in report["libraries"]:
            peak = row[library]
            why = _absence(peak)
            if why is not None:
                cells += [why[0], NONE]
                sheet.notes.append(f"{row['name']}: {library}: {why[1]}")
            else:
                cells += [f"{peak[key] / 2**20:.1f} MiB" for key in ("step", "beyond_import")]
        sheet.rows.append(cells)
    sheet.notes.append(machine_line(report["machine"]))
    return [sheet]


def _imports(report: Report) -> list[Sheet]:
    sheet = Sheet("import", ["program", "more plugins", "median", "beyond NumPy"])
    for row in report["rows"]:
        cells = [row["name"], str(row["plugins"]), seconds(row["seconds"])]
        is_numpy = row["name"] == "numpy"
        sheet.rows.append([*cells, NONE if is_numpy else seconds(row["beyond_numpy"])])
    sheet.notes.append(machine_line(report["machine"]))
    return [sheet]


def _tracing(report: Report) -> list[Sheet]:
    sheet = Sheet("first call", ["block", "forward", "with gradient", "an operator"])
    for row in report["rows"]:
        each = row["recorded_seconds"] / row["operators"]
        times = (row["seconds"], row["recorded_seconds"], each)
        sheet.rows.append([row["name"], *map(seconds, times)])
    sheet.notes.append(machine_line(report["machine"]))
    return [sheet]


_KINDS: dict[str, Callable[[Report], list[Sheet]]] = {
    "cases": _cases,
    "sizes": _sizes,
    "threads": _threads,
    "memory": _memory,
    "import": _imports,
    "tracing": _tracing,
}
