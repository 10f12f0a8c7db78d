"""User-defined tasks, frames, events, counters and markers, grouped by domains."""

from typing import Any

from ..base.errors import AttributeValueError
from ..native.threads import spans
from .trace import MARKER_SCOPES

__all__ = ["Counter", "Domain", "Event", "Frame", "Marker", "Task"]


class Domain:
    """Group of tasks, frames, counters and markers.

    Parameters
    ----------
    name : str

    Examples
    --------
    >>> domain = Domain("training")
    >>> with domain.new_task("epoch"):
    ...     domain.new_counter("samples", 0).increment(32)
    """

    def __init__(self, name: str) -> None:
        self.name = _checked_name("Domain", name)

    def __str__(self) -> str:
        return self.name

    def new_task(self, name: str) -> "Task":
        """Return a new `Task` in this domain."""
        return Task(self, name)

    def new_frame(self, name: str) -> "Frame":
        """Return a new `Frame` in this domain."""
        return Frame(self, name)

    def new_counter(self, name: str, value: Any = None) -> "Counter":
        """Return a new `Counter` in this domain."""
        return Counter(self, name, value)

    def new_marker(self, name: str) -> "Marker":
        """Return a new `Marker` in this domain."""
        return Marker(self, name)


class _Timed:
    """Base class of objects that are started and stopped, or used in a ``with`` block."""

    def __init__(self, category: str, name: str, style: str) -> None:
        self.name = _checked_name(type(self).__name__, name)
        self._stopwatch = spans.Stopwatch(spans.site(category, name, style))

    def __str__(self) -> str:
        return self.name

    def start(self) -> None:
        """Start timing; recorded only while the profiler runs."""
        self._stopwatch.start()

    def stop(self) -> None:
        """Stop timing."""
        self._stopwatch.stop()

    def __enter__(self) -> Any:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


class Task(_Timed):
    """Unit of work whose durations are accumulated.

    Parameters
    ----------
    domain : Domain
    name : str
    """

    def __init__(self, domain: Domain, name: str) -> None:
        super().__init__(domain.name, name, "task")


class Frame(_Timed):
    """One of many passes, such as a batch.

    Parameters
    ----------
    domain : Domain
    name : str
    """

    def __init__(self, domain: Domain, name: str) -> None:
        super().__init__(f"{domain.name},frame", name, "task")


class Event(_Timed):
    """Unit of work of one thread, shown with that thread's operators in the trace.

    Parameters
    ----------
    name : str
    """

    def __init__(self, name: str) -> None:
        super().__init__("event", name, "span")


class Counter:
    """Number that changes over time.

    Parameters
    ----------
    domain : Domain
    name : str
    value : int, optional
        Initial value.
    """

    def __init__(self, domain: Domain, name: str, value: Any = None) -> None:
        self.name = _checked_name("Counter", name)
        self._site = spans.site(f"{domain.name},counter", name, "counter")
        self._value = 0
        if value is not None:
            self.set_value(value)

    def __str__(self) -> str:
        return self.name

    def set_value(self, value: Any) -> None:
        """Set the counter to an integer."""
        self._value = int(value)
        self._site.note(self._value)

    def increment(self, delta: Any = 1) -> None:
        """Add `delta`."""
        self.set_value(self._value + int(delta))

    def decrement(self, delta: Any = 1) -> None:
        """Subtract `delta`."""
        self.set_value(self._value - int(delta))

    def __iadd__(self, delta: Any) -> "Counter":
        self.increment(delta)
        return self

    def __isub__(self, delta: Any) -> "Counter":
        self.decrement(delta)
        return self


class Marker:
    """Instant in time.

    Parameters
    ----------
    domain : Domain
    name : str
    """

    def __init__(self, domain: Domain, name: str) -> None:
        self.name, self.domain = _checked_name("Marker", name), domain
        self._site = spans.site(f"{domain.name},instant_marker", name, "marker")

    def mark(self, scope: str = "process") -> None:
        """Record the current time.

        Parameters
        ----------
        scope : {"global", "process", "thread", "task", "marker"}
            Extent of the marker in the trace viewer.
        """
        if scope not in MARKER_SCOPES:
            raise AttributeValueError(
                f"Marker.mark: Invalid Input: {scope!r}, valid values are: "
                f"{', '.join(map(repr, MARKER_SCOPES))}"
            )
        self._site.note(list(MARKER_SCOPES).index(scope))


def _checked_name(kind: str, name: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"profiler.{kind}: name is {name!r:.60}; expected a str")
    return name
