"""`Check`: one row of a table of the battery, and how a check says that it does not apply."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Check", "NotApplicable", "Unwise"]


class NotApplicable(Exception):
    """Raised by a check that has nothing to check in this operator or layer; the text says why."""


class Unwise(Exception):
    """Raised by a check that found what is allowed and does harm to others; the text says what."""


@dataclass(frozen=True)
class Check:
    """One check.

    Parameters
    ----------
    name : str
        As reports print it and as ``expected_failures`` has it.
    run : callable
        Called with what is checked. Returns on how much it was checked (samples, attributes, ...);
        raises AssertionError, or what the checked code raised, where the check fails,
        `NotApplicable` where it cannot be made, and `Unwise` for a warning.
    needs : tuple of str
        Checks without which this one would only say the same again: it is skipped where one of
        them failed.
    """

    name: str
    run: Callable[[Any], int]
    needs: tuple[str, ...] = ()
