"""Table of all calls as text with MXNet's columns, or as JSON with MXNet's keys."""

import json
from dataclasses import dataclass

from ..native.threads import spans

__all__ = ["Row", "rows", "table_text"]

_MS, _KB = 1e6, 1e3  # nanoseconds, bytes


@dataclass(frozen=True)
class Row:
    """Count and durations of one entry, in nanoseconds, or the values of a counter.

    `own` is the time not spent in other rows' calls; `memory` is the growth of array memory in
    bytes.
    """

    category: str
    name: str
    style: str
    count: int
    total: float
    least: float
    most: float
    own: float
    memory: int

    @property
    def mean(self) -> float:
        """Mean duration or value."""
        return self.total / self.count


def rows() -> list[Row]:
    """Return all rows in arbitrary order."""
    return [Row(site.category, site.name, site.style, *figures) for site, *figures in spans.table()]


_KEYS = {
    "total": lambda row: row.total,
    "avg": lambda row: row.mean,
    "min": lambda row: row.least,
    "max": lambda row: row.most,
    "count": lambda row: row.count,
}


def table_text(as_json: bool, sort_by: str, ascending: bool) -> str:
    """Return the rows as a string with a section for each category; see `profiler.dumps`."""
    table = [row for row in rows() if row.style != "marker"]
    table.sort(key=_KEYS[sort_by], reverse=not ascending)
    sections: dict[str, list[Row]] = {}
    for row in table:
        sections.setdefault(row.category, []).append(row)
    ordered = {category: sections[category] for category in sorted(sections)}
    return _json_text(ordered) if as_json else _plain_text(ordered)


def _plain_text(sections: dict[str, list[Row]]) -> str:
    if not sections:
        return ""
    lines = ["", "Profile Statistics:", "\tNote the difference in units for different entries."]
    for category, entries in sections.items():
        lines += [category, "=================", *_header(entries[0])]
        lines += [_line(row) for row in entries]
        lines.append("")
    return "\n".join([*lines, ""])


def _header(row: Row) -> list[str]:
    names = ["Total Count", "Time (ms)", "Min Time (ms)", "Max Time (ms)", "Avg Time (ms)"]
    names.append("Memory (kB)")
    if row.style == "counter":
        unit = "Use  (kB)" if _is_memory(row) else "Value"
        names = ["Total Count", f"Min {unit}", f"Max {unit}", f"Avg {unit}"]
    return [_columns("Name", names), _columns("----", ["-" * len(name) for name in names])]


def _line(row: Row) -> str:
    if row.style == "counter":
        unit = _KB if _is_memory(row) else 1
        figures = [row.least / unit, row.most / unit, row.mean / unit]
    else:
        figures = [row.total / _MS, row.least / _MS, row.most / _MS, row.mean / _MS]
        figures.append(row.memory / _KB)
    return _columns(row.name, [str(row.count), *(f"{figure:.4f}" for figure in figures)])


def _columns(name: str, cells: list[str]) -> str:
    first, *others = cells
    return f"{name:<25}{first:>16}" + "".join(f" {cell:>16}" for cell in others)


def _is_memory(row: Row) -> bool:
    return row.category == "Device Storage"


def _json_text(sections: dict[str, list[Row]]) -> str:
    found: dict[str, dict[str, dict[str, dict[str, float]]]] = {"Time": {}, "Memory": {}}
    for category, entries in sections.items():
        for row in entries:
            kind, figures = _figures(row)
            found.setdefault(kind, {}).setdefault(category, {})[row.name] = figures
    return json.dumps({**found, "Unit": {"Time": "ms", "Memory": "kB"}}, indent=4)


def _figures(row: Row) -> tuple[str, dict[str, float]]:
    if row.style != "counter":
        times = {"Total": row.total, "Min": row.least, "Max": row.most, "Avg": row.mean}
        scaled = {name: round(value / _MS, 6) for name, value in times.items()}
        return "Time", {"Count": row.count, **scaled, "Memory": row.memory / _KB}
    values = {"Min": row.least, "Max": row.most, "Avg": row.mean}
    unit = _KB if _is_memory(row) else 1
    scaled = {name: round(value / unit, 6) for name, value in values.items()}
    return "Memory" if _is_memory(row) else "Counter", {"Count": row.count, **scaled}
