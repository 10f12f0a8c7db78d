"""The profiler's state: what is watched, into which file it goes, and when that is written."""

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
        self.file: TraceFile | None = None  # what was begun and not finished
        self.process = 0  # where it was started: the child of a fork does not write at its end
        self.lock = threading.Lock()
        self.is_due = threading.Event()  # continuous dumps end

    def configure(self, settings: Settings) -> None:
        """Take other settings; another file begins with what was not written yet."""
        with self.lock:
            if settings.filename != self.settings.filename and self.file is not None:
                self.file = TraceFile(settings.filename)
            self.settings = settings
        self.apply()

    def apply(self) -> None:
        """Watch what the settings and the state say."""
        is_on = self.is_running and not self.is_paused
        spans.watch(self.settings.watched if is_on else 0)

    def run(self) -> None:
        """Begin, or go on after a stop."""
        with self.lock:
            if self.file is None or self.process != os.getpid():
                self.file = TraceFile(self.settings.filename)
        if self.process != os.getpid():
            self.process = os.getpid()
            atexit.register(self.finish_at_exit)
        if not self.is_running and self.settings.continuous_dump:
            self.is_due = threading.Event()
            arguments = (self.is_due, self.settings.dump_period)
            threading.Thread(
                target=self.write_again, args=arguments, name="opforge profiler", daemon=True
            ).start()
        self.is_running = True
        self.apply()

    def stop(self) -> None:
        """Time nothing more."""
        self.is_running = False
        self.is_due.set()
        self.apply()

    def write_again(self, is_due: threading.Event, period: float) -> None:
        """Write what is new every so many seconds, until `is_due` is set."""
        while not is_due.wait(period):
            with self.lock:
                if self.file is not None:
                    self.file.write()

    def write(self, finished: bool) -> None:
        """Write what is new; `finished`: and begin another file next time."""
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
        """Write what a program that ends has not dumped."""
        self.stop()
        if self.file is not None and self.process == os.getpid():
            self.write(True)


_profiler = _Profiler()


def _forget_parent() -> None:
    """In the child of a fork: it is not profiled unless it starts the profiler itself."""
    _profiler.__init__()  # type: ignore[misc]


os.register_at_fork(after_in_child=_forget_parent)


def set_config(**kwargs: Any) -> None:
    """Set the profiler up; what is not given gets its default.

    Parameters
    ----------
    profile_all : bool, default False
        Everything that follows.
    profile_symbolic : bool, default True
        Operators inside of hybridized blocks and executors.
    profile_imperative : bool, default True
        Operators that are called one by one, and their gradients.
    profile_memory : bool, default True
        How much memory arrays have.
    profile_api : bool, default True
        Calls that are no operator: backward passes, key-value stores, loading of data.
    filename : str, default "profile.json"
        Where `dump` writes the trace. ``{pid}`` and ``{rank}`` in it are replaced.
    continuous_dump : bool, default False
        Write what is new every `dump_period` seconds; else the newest million of events is kept.
    dump_period : float, default 1.0
    aggregate_stats : bool, default False
        Let `dumps` return the table.
    profile_process : {"worker"}

    Raises
    ------
    AttributeValueError
        There is no such setting, or a value is not of its type.

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
        `state` is neither.
    """
    _expect_worker("set_state", profile_process)
    if state not in ("stop", "run"):
        raise AttributeValueError(
            f"profiler.set_state: state is {state!r}, expected 'run' or 'stop'"
        )
    _profiler.run() if state == "run" else _profiler.stop()


def pause(profile_process: str = "worker") -> None:
    """Time nothing until `resume`; the state stays as it is."""
    _expect_worker("pause", profile_process)
    _profiler.is_paused = True
    _profiler.apply()


def resume(profile_process: str = "worker") -> None:
    """Go on after `pause`."""
    _expect_worker("resume", profile_process)
    _profiler.is_paused = False
    _profiler.apply()


def dump(finished: bool = True, profile_process: str = "worker") -> None:
    """Write the trace to the file that `set_config` named.

    A program that ends while its profiler was started does that by itself.

    Parameters
    ----------
    finished : bool, default True
        Stop, and begin a new file the next time. False: the next dump adds what is new.
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
    """Return the table of all calls: how many, total, least, greatest and mean time, and memory.

    Times of an operator contain those of operators that it calls.

    Parameters
    ----------
    reset : bool, default False
        Forget what was counted so far.
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
        An argument is none of those.
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
            f"profiler.{function}: profile_process is {profile_process!r}, expected 'worker': "
            "key-value stores of opforge have no servers"
        )
