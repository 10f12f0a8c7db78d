"""Chart of a profile: the most expensive operators and a timeline."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opforge.profiler.tables import Row

from .charts import new_figure, save_figure
from .trace_merging import read_trace

__all__ = ["draw_profile"]

_BARS = 20  # operators with a bar and a color
_SPANS = 5000  # the longest spans, shown in the timeline
#: Categories of spans that enclose parts of a program and are not shown.
_AROUND = {"graph", "autograd"}


def draw_profile(rows: Sequence[Row], trace: Path, path: Path) -> None:
    """Draw a bar for each of the most expensive operators, and a timeline for each thread.

    Parameters
    ----------
    rows : sequence of Row
    trace : Path
        Trace written by the profiler.
    path : Path
        Output file; its suffix selects the format, for instance ``.png``.
    """
    shown = sorted((row for row in rows if row.own > 0), key=lambda row: -row.own)[:_BARS]
    figure, axes = new_figure(11, 4 + 0.28 * len(shown), 2)
    colors = {row.name: f"C{index % 10}" for index, row in enumerate(shown)}
    positions = range(len(shown))
    axes[0].barh(
        positions, [row.own / 1e6 for row in shown], color=[colors[row.name] for row in shown]
    )
    axes[0].set_yticks(positions, [f"{row.name} ({row.count})" for row in shown])
    axes[0].invert_yaxis()
    axes[0].set_xlabel("self time in ms; number of calls in parentheses")
    _draw_time(axes[1], read_trace(trace)["traceEvents"], colors)
    save_figure(figure, path)


def _draw_time(axes: Any, events: Sequence[dict[str, Any]], colors: dict[str, str]) -> None:
    """Draw the longest spans, one line per thread."""
    names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    spans = [
        event
        for event in events
        if event["ph"] == "X" and event["name"] in colors and event["cat"] not in _AROUND
    ]
    spans = sorted(spans, key=lambda event: -event["dur"])[:_SPANS]
    threads = sorted({event["tid"] for event in spans})
    for index, thread in enumerate(threads):
        for name, color in colors.items():
            own = [event for event in spans if (event["tid"], event["name"]) == (thread, name)]
            bars = [(event["ts"] / 1000, event["dur"] / 1000) for event in own]
            axes.broken_barh(bars, (index - 0.4, 0.8), color=color)
    axes.set_yticks(range(len(threads)), [names.get(thread, str(thread)) for thread in threads])
    axes.invert_yaxis()
    axes.set_xlabel("ms since the profiler started")
