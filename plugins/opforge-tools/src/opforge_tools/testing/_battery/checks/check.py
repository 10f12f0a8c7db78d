"""`Check`: a row of a check table, its result, and the exceptions by which it skips or warns."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Check", "NotApplicable", "Remark", "Unwise"]


class NotApplicable(Exception):
    """Raised by a check that does not apply to the subject; the text gives the reason."""


class Unwise(Exception):
    """Raised by a check that found something allowed but harmful; the text describes it."""


@dataclass(frozen=True)
class Remark:
    """Result of a check that passed, with a limitation that the report must mention.

    Parameters
    ----------
    samples : int
        Number of items checked.
    text : str
        Limitation; empty if there is none.
    """

    samples: int
    text: str = ""


@dataclass(frozen=True)
class Check:
    """One check.

    Parameters
    ----------
    name : str
        Name in reports and in ``expected_failures``.
    run : callable
        Called with the subject. Returns the number of items checked (samples, attributes, ...), or
        a `Remark`; raises AssertionError, or the error of the checked code, if the check fails,
        `NotApplicable` if it does not apply, and `Unwise` for a warning.
    needs : tuple of str
        Checks whose failures this one would only repeat; it is skipped if one of them failed.
    """

    name: str
    run: Callable[[Any], int | Remark]
    needs: tuple[str, ...] = ()
