"""`Profile`: durations of the phases and operators of a training."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from ..html_table import html_table
from .phases import CATEGORY, FIT_BATCH, KNOWN

__all__ = ["TOTAL", "Profile", "ProfileRow", "profile_of"]

#: Name of the call that spans all phases.
TOTAL = "profile"
_OPERATORS = ("operator", "graph", "Custom Operator")
_SHOWN = 10
#: Share of the time from which on waiting for data deserves advice.
_MUCH = 0.25
_HEADINGS = ("Calls", "Time (ms)", "Share")


@dataclass(frozen=True)
class ProfileRow:
    """Duration of a phase or of the calls of an operator.

    Parameters
    ----------
    name : str
    calls : int
    seconds : float
    share : float
        Fraction of the whole duration.
    """

    name: str
    calls: int
    seconds: float
    share: float


@dataclass(frozen=True)
class Profile:
    """Durations of phases and operators; `print` shows a table, a notebook an HTML table.

    Parameters
    ----------
    batches : int
        Number of batches that were measured.
    seconds : float
        Their duration.
    phases : tuple of ProfileRow
        "data" (waiting for batches), "forward", "backward", "update", "metrics" and "validation";
        other handlers by the names of their classes; "other" is the rest. Shares sum to 1.
    operators : tuple of ProfileRow
        All operators, slowest first, without the time of other operators that they call. Those of
        other threads count as well.
    """

    batches: int
    seconds: float
    phases: tuple[ProfileRow, ...]
    operators: tuple[ProfileRow, ...]

    @property
    def advice(self) -> str | None:
        """Advice if much time is spent waiting for data, otherwise None."""
        share = sum(row.share for row in self.phases if row.name == "data")
        if share < _MUCH:
            return None
        return (
            f"Waiting for data takes {share:.0%} of the time. Load batches in the background: "
            "DataLoader(..., num_workers=2) or more, or prefetch=4 without workers; or do "
            "expensive transforms once and save their results."
        )

    def to_pandas(self) -> Any:
        """Return a DataFrame with a row for each phase and operator; requires pandas."""
        import pandas

        parts = (("phase", self.phases), ("operator", self.operators))
        return pandas.DataFrame(
            [
                (kind, row.name, row.calls, row.seconds, row.share)
                for kind, rows in parts
                for row in rows
            ],
            columns=["kind", "name", "calls", "seconds", "share"],
        )

    def __str__(self) -> str:
        tables = [_cells("Phase", self.phases), _cells("Operator", self.operators[:_SHOWN])]
        lines = [line for table in tables for line in table]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        found = [self._title]
        for table in tables:
            texts = [_align(line, widths) for line in table]
            found += ["", texts[0], "-" * len(texts[0]), *texts[1:]]
        if len(self.operators) > _SHOWN:
            found.append(f"... and {len(self.operators) - _SHOWN} other operators")
        if self.advice is not None:
            found += ["", self.advice]
        return "\n".join(found)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the tables as HTML, which notebooks show."""
        tables = [_cells("Phase", self.phases), _cells("Operator", self.operators)]
        parts = [f"<p>{escape(self._title)}</p>"]
        parts += [html_table(titles, rows) for titles, *rows in tables]
        if self.advice is not None:
            parts.append(f"<p>{escape(self.advice)}</p>")
        return "".join(parts)

    @property
    def _title(self) -> str:
        batches = "1 batch" if self.batches == 1 else f"{self.batches} batches"
        return f"Profile of {batches}: {self.seconds * 1e3:,.3f} ms"


def profile_of(calls: Sequence[Any], batches: int) -> Profile:
    """Return the profile of measured calls, of which one spans all of them.

    Parameters
    ----------
    calls : sequence of Call
        As `Measurement.stop` returns them.
    batches : int
    """
    own = {call.name: call for call in calls if call.category == CATEGORY}
    seconds = own.pop(TOTAL).total
    found = {name: (call.count, call.total) for name, call in own.items()}
    count, fit = found.pop(FIT_BATCH, (0, 0.0))
    backward = [call for call in calls if (call.category, call.name) == ("autograd", "backward")]
    # A handler may call backward as well.
    in_backward = min(sum(call.total for call in backward), fit)
    found["forward"] = count, fit - in_backward
    found["backward"] = sum(call.count for call in backward), in_backward
    first = [KNOWN[0], "forward", "backward", *KNOWN[1:]]
    names = [name for name in first if name in found]
    names += sorted(found.keys() - set(names), key=lambda name: (-found[name][1], name))
    rest = seconds - sum(duration for _, duration in found.values())
    found["other"] = batches, max(rest, 0.0)
    total = sum(duration for _, duration in found.values()) or 1.0
    phases = [ProfileRow(name, *found[name], found[name][1] / total) for name in [*names, "other"]]
    operators = [
        ProfileRow(call.name, call.count, call.own, call.own / total)
        for call in calls
        if call.category in _OPERATORS
    ]
    operators.sort(key=lambda row: (-row.seconds, row.name))
    return Profile(batches, seconds, tuple(phases), tuple(operators))


def _cells(title: str, rows: Sequence[ProfileRow]) -> list[tuple[str, ...]]:
    values = ((row.name, str(row.calls), f"{row.seconds * 1e3:,.3f}", row.share) for row in rows)
    return [(title, *_HEADINGS), *((*texts, f"{share:.1%}") for *texts, share in values)]


def _align(line: Sequence[str], widths: Sequence[int]) -> str:
    name, *numbers = (
        text.rjust(width) if at else text.ljust(width)
        for at, (text, width) in enumerate(zip(line, widths, strict=True))
    )
    return "  ".join([name, *numbers])
