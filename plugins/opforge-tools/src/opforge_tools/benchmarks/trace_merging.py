"""Merging of the traces of several processes."""

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

from opforge.base.errors import OpforgeError
from opforge.base.files import open_file, replacing
from opforge.profiler.trace import BASE

__all__ = ["merge_traces", "read_trace"]

Path = str | os.PathLike[str]


def read_trace(path: Path) -> dict[str, Any]:
    """Read a trace file.

    Parameters
    ----------
    path : path-like

    Raises
    ------
    OpforgeError
        The file is not a trace.
    """
    with open_file(path, "rb") as file:
        try:
            found = json.load(file)
        except ValueError as error:
            raise OpforgeError(f"{os.fspath(path)} is not a trace: {error}") from error
    if not isinstance(found, dict) or not isinstance(found.get("traceEvents"), list):
        raise OpforgeError(f"{os.fspath(path)} is not a trace: it has no list 'traceEvents'")
    return found


def merge_traces(paths: Sequence[Path], target: Path) -> None:
    """Merge the events of several traces into one file, with ranks as process numbers.

    Times are aligned by the machines' clocks. If two traces have the same rank, or none, their
    processes are numbered in the order of `paths`.

    Parameters
    ----------
    paths : sequence of path-like
    target : path-like

    Raises
    ------
    OpforgeError
        A file is not a trace.
    """
    traces = [read_trace(path) for path in paths]
    bases = [trace[BASE] for trace in traces if BASE in trace]
    base = min(bases, default=0)
    numbers = _process_numbers(traces)
    events: list[dict[str, Any]] = []
    for position, trace in enumerate(traces):
        shift = (trace.get(BASE, base) - base) / 1000
        for event in trace["traceEvents"]:
            events.append(_shift_event(event, shift, numbers[position, event.get("pid")]))
    with replacing(target) as file:
        text = json.dumps({"displayTimeUnit": "ms", BASE: base, "traceEvents": events})
        file.write(text.encode())


def _shift_event(event: dict[str, Any], shift: float, pid: int) -> dict[str, Any]:
    """Return an event with its time and ids adjusted to the merged trace."""
    moved = {**event, "pid": pid}
    if "ts" in event:
        moved["ts"] = round(event["ts"] + shift, 3)
    if "id" in event:
        moved["id"] = f"{pid}.{event['id']}"
    if event["name"] == "process_sort_index":
        moved["args"] = {"sort_index": pid}
    return moved


def _process_numbers(traces: Sequence[dict[str, Any]]) -> dict[tuple[int, Any], int]:
    """Return a process number for each (trace index, pid)."""
    found = dict(_processes(traces))
    ranks = list(found.values())
    if len(set(ranks)) == len(ranks) and None not in ranks:
        return found
    return {process: number for number, process in enumerate(found)}


def _processes(traces: Sequence[dict[str, Any]]) -> Iterator[tuple[tuple[int, Any], Any]]:
    """Yield each process as (trace index, pid), with its rank or None."""
    for position, trace in enumerate(traces):
        ranks: dict[Any, Any] = {event.get("pid"): None for event in trace["traceEvents"]}
        for event in trace["traceEvents"]:
            if event["name"] == "process_sort_index":
                ranks[event["pid"]] = event["args"]["sort_index"]
        for pid, rank in ranks.items():
            yield (position, pid), rank
