"""The trace: events in the format of chrome://tracing, which Perfetto also opens.

Its events are described in Google's "Trace Event Format". Times are microseconds since the profiler
was started; the start is stored in nanoseconds since 1970, so that traces of several processes can
be merged (`merging`).
"""

import itertools
import json
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

from ..base.files import open_file
from ..native.threads import spans

__all__ = ["BASE", "MARKER_SCOPES", "TraceFile", "rank_of_process"]

#: Key of the start time in a trace.
BASE = "baseTimeNanoseconds"
#: Extents of a marker; the trace format has three of them.
MARKER_SCOPES = {"global": "g", "process": "p", "thread": "t", "task": "t", "marker": "t"}
_RANKS = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID")
_FOOTER = b"\n]}\n"
_identities = itertools.count(1)


def rank_of_process() -> int | None:
    """Return the rank that mpiexec or srun gave this process; None without a launcher."""
    for name in _RANKS:
        if os.environ.get(name, "").isdecimal():
            return int(os.environ[name])
    return None


class TraceFile:
    """File to which each `write` appends new events; it is valid JSON after each write.

    Parameters
    ----------
    filename : str
        ``{pid}`` and ``{rank}`` are substituted.
    """

    def __init__(self, filename: str) -> None:
        rank = rank_of_process()
        self.path = filename.replace("{pid}", str(os.getpid())).replace("{rank}", str(rank or 0))
        self.base = time.time_ns()
        self._end = 0  # offset after the last event
        self._n_threads = 0
        self._memory = -1

    def write(self) -> None:
        """Append the pending records; the first write replaces an existing file."""
        with open_file(self.path, "r+b" if self._end else "wb") as file:
            head = ",\n" if self._end else self._head()
            text = ",\n".join(self._events())
            if not text:
                return
            file.seek(self._end)
            file.write((head + text).encode())
            self._end = file.tell()
            file.write(_FOOTER)

    def _head(self) -> str:
        return json.dumps({"displayTimeUnit": "ms", BASE: self.base})[:-1] + ', "traceEvents": [\n'

    def _events(self) -> Iterator[str]:
        """Take the pending records; yield the event, or events, of each."""
        lost, begins, lengths, slots, numbers, values, sites, threads = spans.take_records()
        yield from map(json.dumps, self._about(threads, lost))
        pid, natives = os.getpid(), [native for native, _ in threads]
        writers = [_EventWriter(site, pid) for site in sites]
        memory = _EventWriter(spans.site("Device Storage", "Memory: cpu/0", "counter"), pid)
        columns = (begins - self.base, lengths, slots, numbers, values)
        for start, length, slot, number, value in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            yield writers[slot].event(start, length, natives[number], value)
            if writers[slot].style == "span" and value >= 0 and value != self._memory:
                self._memory = value
                yield memory.event(start + length, 0, natives[number], value)

    def _about(self, threads: list[tuple[int, str]], lost: int) -> Iterator[dict[str, Any]]:
        """Yield the events that name the process, and threads not seen before."""
        pid, rank = os.getpid(), rank_of_process()
        if self._end == 0:
            name = f"{os.path.basename(sys.argv[0]) or 'python'} (pid {pid})"
            name = name if rank is None else f"rank {rank}: {name}"
            yield _name_event("process_name", pid, 0, name=name)
            yield _name_event("process_sort_index", pid, 0, sort_index=rank or 0)
        for native, thread in threads[self._n_threads :]:
            yield _name_event("thread_name", pid, native, name=thread)
        self._n_threads = len(threads)
        if lost:
            text = f"{lost} earlier events were lost; dump more often"
            yield {"name": text, "ph": "i", "s": "g", "ts": 0, "pid": pid, "tid": 0}


def _name_event(kind: str, pid: int, tid: int, **arguments: Any) -> dict[str, Any]:
    return {"name": kind, "ph": "M", "pid": pid, "tid": tid, "args": arguments}


class _EventWriter:
    """Formatter of a site's events as JSON; their common part is formatted once."""

    def __init__(self, site: spans.Site, pid: int) -> None:
        self.style = site.style
        name = json.dumps(site.name)
        self._head = f'{{"name": {name}, "cat": {json.dumps(site.category)}, "pid": {pid}'
        self._name = name

    def event(self, start: int, length: int, tid: int, value: int) -> str:
        """Return the event of one record, or both events of a task; times are nanoseconds."""
        head = f'{self._head}, "tid": {tid}, "ts": {start / 1000:.3f}'
        if self.style == "span":
            return f'{head}, "ph": "X", "dur": {length / 1000:.3f}}}'
        if self.style == "task":
            tail = f'{self._head}, "tid": {tid}, "ts": {(start + length) / 1000:.3f}'
            end = f'"id": {next(_identities)}}}'
            return f'{head}, "ph": "b", {end},\n{tail}, "ph": "e", {end}'
        if self.style == "counter":
            return f'{head}, "ph": "C", "args": {{{self._name}: {value}}}}}'
        scope = list(MARKER_SCOPES.values())[value]
        return f'{head}, "ph": "i", "s": "{scope}"}}'
