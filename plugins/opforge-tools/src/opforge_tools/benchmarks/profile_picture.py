"""The picture of a profile: what took the time, and what ran when."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opforge.profiler.merging import read_trace
from opforge.profiler.tables import Row

from .pictures import new_figure, save_figure

__all__ = ["draw_profile"]

_BARS = 20  # operators that have a bar, and a colour
_SPANS = 5000  # longest ones, which the line of time has
#: Categories of spans that are no pieces of a program, but lie around them.
_AROUND = {"graph", "autograd"}


def draw_profile(rows: Sequence[Row], trace: Path, path: Path) -> None:
    """Draw a bar for each of the most expensive operators, and a line of time for each thread.

    Parameters
    ----------
    rows : sequence of Row
    trace : Path
        A trace that the profiler wrote.
    path : Path
        Its suffix is the format, for instance ``.png``.
    """
    shown = sorted((row for row in rows if row.own > 0), key=lambda row: -row.own)[:_BARS]
    figure, axes = new_figure(11, 4 + 0.28 * len(shown), 2)
    colours = {row.name: f"C{place % 10}" for place, row in enumerate(shown)}
    places = range(len(shown))
    axes[0].barh(
        places, [row.own / 1e6 for row in shown], color=[colours[row.name] for row in shown]
    )
    axes[0].set_yticks(places, [f"{row.name} ({row.count})" for row in shown])
    axes[0].invert_yaxis()
    axes[0].set_xlabel("ms, without what other rows have of it; in brackets: calls")
    _draw_time(axes[1], read_trace(trace)["traceEvents"], colours)
    save_figure(figure, path)


def _draw_time(axes: Any, events: Sequence[dict[str, Any]], colours: dict[str, str]) -> None:
    """Draw the longest spans, threads below each other."""
    names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    spans = [
        event
        for event in events
        if event["ph"] == "X" and event["name"] in colours and event["cat"] not in _AROUND
    ]
    spans = sorted(spans, key=lambda event: -event["dur"])[:_SPANS]
    threads = sorted({event["tid"] for event in spans})
    for place, thread in enumerate(threads):
        for name, colour in colours.items():
            own = [event for event in spans if (event["tid"], event["name"]) == (thread, name)]
            bars = [(event["ts"] / 1000, event["dur"] / 1000) for event in own]
            axes.broken_barh(bars, (place - 0.4, 0.8), color=colour)
    axes.set_yticks(range(len(threads)), [names.get(thread, str(thread)) for thread in threads])
    axes.invert_yaxis()
    axes.set_xlabel("ms since the profiler was started")
