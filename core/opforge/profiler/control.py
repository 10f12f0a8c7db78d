"""State of the profiler: recorded event kinds, the trace file, and when it is written."""

import atexit
import os
import threading
from typing import Any

from ..base.errors import AttributeValueError, OpforgeError
from ..native.threads import spans
from .settings import Settings, settings_from
from .tables import table_text
from .trace import TraceFile

__all__ = ["dump", "dumps", "pause", "resume", "set_config", "set_state"]

_SORTS = ("total", "avg", "min", "max", "count")


class _Profiler:
    """The only profiler of the process; `lock` guards its file."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.is_running = self.is_paused = False
        self.file: TraceFile | None = None  # started and not finished
        self.process = 0  # pid that started it: a forked child does not write the trace at exit
        self.lock = threading.Lock()
        self.is_stopped = threading.Event()  # ends continuous dumps

    def configure(self, settings: Settings) -> None:
        """Apply new settings; a new file starts with the events not written yet."""
        with self.lock:
            if settings.filename != self.settings.filename and self.file is not None:
                self.file = TraceFile(settings.filename)
            self.settings = settings
        self.apply()

    def apply(self) -> None:
        """Record the event kinds that settings and state select."""
        is_on = self.is_running and not self.is_paused
        spans.watch(self.settings.watched if is_on else 0)

    def run(self) -> None:
        """Start profiling, or continue after a stop."""
        with self.lock:
            if self.file is None or self.process != os.getpid():
                self.file = TraceFile(self.settings.filename)
        if self.process != os.getpid():
            self.process = os.getpid()
            atexit.register(self.finish_at_exit)
        if not self.is_running and self.settings.continuous_dump:
            self.is_stopped = threading.Event()
            arguments = (self.is_stopped, self.settings.dump_period)
            threading.Thread(
                target=self.write_periodically, args=arguments, name="opforge profiler", daemon=True
            ).start()
        self.is_running = True
        self.apply()

    def stop(self) -> None:
        """Stop recording."""
        self.is_running = False
        self.is_stopped.set()
        self.apply()

    def write_periodically(self, is_stopped: threading.Event, period: float) -> None:
        """Write new events every `period` seconds until `is_stopped` is set."""
        while not is_stopped.wait(period):
            with self.lock:
                if self.file is not None:
                    self.file.write()

    def write(self, finished: bool) -> None:
        """Write new events; if `finished`, also stop and start a new file next time."""
        with self.lock:
            if self.file is None:
                raise OpforgeError(
                    "profiler.dump: Profiler hasn't been run. Config and start profiler first, "
                    "with set_config(filename='profile.json') and set_state('run')"
                )
            self.file.write()
            if finished:
                self.file = None
        if finished:
            self.stop()

    def finish_at_exit(self) -> None:
        """Write the events that a program has not dumped when it exits."""
        self.stop()
        if self.file is not None and self.process == os.getpid():
            self.write(True)


_profiler = _Profiler()


def _reset_in_child() -> None:
    """Reset the profiler in a forked child, which is not profiled unless it starts it again."""
    _profiler.__init__()  # type: ignore[misc]


os.register_at_fork(after_in_child=_reset_in_child)


def set_config(**kwargs: Any) -> None:
    """Configure the profiler; settings that are not given are reset to their defaults.

    Parameters
    ----------
    profile_all : bool, default False
        Enable all of the following.
    profile_symbolic : bool, default True
        Operators inside hybridized blocks and executors.
    profile_imperative : bool, default True
        Operators called individually, and their gradients.
    profile_memory : bool, default True
        Memory used by arrays.
    profile_api : bool, default True
        Calls that are not operators: backward passes, key-value stores, data loading.
    filename : str, default "profile.json"
        Trace file of `dump`; ``{pid}`` and ``{rank}`` are substituted.
    continuous_dump : bool, default False
        Write new events every `dump_period` seconds; otherwise the latest million events is kept.
    dump_period : float, default 1.0
    aggregate_stats : bool, default False
        Return the table from `dumps`.
    profile_process : {"worker"}

    Raises
    ------
    AttributeValueError
        A setting is unknown, or a value has the wrong type.

    Examples
    --------
    >>> set_config(profile_all=True, aggregate_stats=True, filename="profile.json")
    """
    _profiler.configure(settings_from(kwargs))


def set_state(state: str = "stop", profile_process: str = "worker") -> None:
    """Turn the profiler on or off.

    Parameters
    ----------
    state : {"stop", "run"}
    profile_process : {"worker"}

    Raises
    ------
    AttributeValueError
            `state` has another value.
    """
    _expect_worker("set_state", profile_process)
    if state not in ("stop", "run"):
        raise AttributeValueError(
            f"profiler.set_state: state is {state!r}; expected 'run' or 'stop'"
        )
    _profiler.run() if state == "run" else _profiler.stop()


def pause(profile_process: str = "worker") -> None:
    """Suspend recording until `resume`, without changing the state."""
    _expect_worker("pause", profile_process)
    _profiler.is_paused = True
    _profiler.apply()


def resume(profile_process: str = "worker") -> None:
    """Continue after `pause`."""
    _expect_worker("resume", profile_process)
    _profiler.is_paused = False
    _profiler.apply()


def dump(finished: bool = True, profile_process: str = "worker") -> None:
    """Write the trace to the file configured with `set_config`.

    A program that exits while its profiler has been started writes the trace automatically.

    Parameters
    ----------
    finished : bool, default True
        Stop, and start a new file next time. If False, the next dump appends new events.
    profile_process : {"worker"}

    Raises
    ------
    OpforgeError
        The profiler was not started.
    """
    _expect_worker("dump", profile_process)
    _profiler.write(finished)


def dumps(
    reset: bool = False, format: str = "table", sort_by: str = "total", ascending: bool = False
) -> str:
    """Return the table of all calls: count, total, min, max and mean time, and memory.

    Times of an operator include the operators that it calls.

    Parameters
    ----------
    reset : bool, default False
        Clear the statistics afterwards.
    format : {"table", "json"}
    sort_by : {"total", "avg", "min", "max", "count"}
    ascending : bool, default False

    Returns
    -------
    str
        Empty unless ``set_config(aggregate_stats=True)`` was called.

    Raises
    ------
    AttributeValueError
        An argument has an unsupported value.
    """
    if format not in ("table", "json"):
        raise AttributeValueError(
            f"profiler.dumps: Invalid value provided for format: {format!r}. "
            "Support: 'table', 'json'"
        )
    if sort_by not in _SORTS:
        raise AttributeValueError(
            f"profiler.dumps: Invalid value provided for sort_by: {sort_by!r}. "
            f"Support: {', '.join(map(repr, _SORTS))}"
        )
    text = ""
    if _profiler.settings.aggregate_stats:
        text = table_text(format == "json", sort_by, bool(ascending))
    if reset:
        spans.clear_table()
    return text


def _expect_worker(function: str, profile_process: str) -> None:
    if profile_process != "worker":
        raise AttributeValueError(
            f"profiler.{function}: profile_process is {profile_process!r}; expected 'worker' "
            "because opforge's key-value stores have no servers"
        )
