"""`Measurement`: the calls of a part of a program, whether or not the profiler runs."""

from dataclasses import dataclass

from ..native.threads import spans
from .control import _profiler
from .tables import Row, rows

__all__ = ["Call", "Measurement"]

_WATCHED = spans.names_of_watched()
_CALLS: int = _WATCHED["calls"] | _WATCHED["graphs"] | _WATCHED["interface"]


@dataclass(frozen=True)
class Call:
    """Number and duration of the calls of one name, in seconds.

    `own` is the part of `total` outside of other operators.
    """

    category: str
    name: str
    count: int
    total: float
    own: float


class Measurement:
    """Recording of all calls between `start` and `stop`.

    State, table and file of the profiler are kept. If it runs, its trace has the calls as well.

    Parameters
    ----------
    by_node : bool, default False
        Whether the operators of graphs are counted for each node; the operator is the category.

    Examples
    --------
    >>> from opforge import nd
    >>> x, measurement = nd.ones((2,)), Measurement()
    >>> measurement.start()
    >>> y = nd.exp(nd.exp(x))
    >>> [(call.category, call.name, call.count) for call in measurement.stop()]
    [('operator', 'exp', 2)]
    """

    def __init__(self, by_node: bool = False) -> None:
        self._by_node = by_node
        self._former: dict[tuple[str, str], Row] | None = None

    @property
    def is_running(self) -> bool:
        """True between `start` and `stop`."""
        return self._former is not None

    def start(self) -> None:
        """Start recording."""
        self._former = {(row.category, row.name): row for row in rows()}
        watched = _profiler.settings.watched if _profiler.is_running else 0
        spans.watch(_CALLS | watched, self._by_node)

    def stop(self) -> list[Call]:
        """Stop recording and return the calls, longest first."""
        _profiler.apply()
        former, self._former = self._former or {}, None
        calls = [_increase(row, former) for row in rows() if row.style == "span"]
        with _profiler.lock:
            if _profiler.file is None:
                spans.take_records()  # nothing will write them
        return sorted((call for call in calls if call.count), key=lambda call: -call.own)


def _increase(row: Row, former: dict[tuple[str, str], Row]) -> Call:
    """Return the calls since a former row; all if the table was cleared meanwhile."""
    before = former.get((row.category, row.name))
    if before is None or before.count > row.count:
        count, total, own = row.count, row.total, row.own
    else:
        count = row.count - before.count
        total, own = row.total - before.total, row.own - before.own
    return Call(row.category, row.name, count, total * 1e-9, own * 1e-9)
