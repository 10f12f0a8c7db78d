"""Runner of check tables, with expected failures."""

import re
import time
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import FrameType
from typing import Any

from opforge.base.traps import silenced

from ..report.outcome import Outcome
from .check import Check, NotApplicable, Remark, Unwise
from .child import Say

__all__ = ["run_checks", "selected"]


def run_checks(
    checks: Iterable[Check],
    subject: Any,
    expected_failures: Mapping[str, str],
    say: Say = lambda what: None,
) -> tuple[Outcome, ...]:
    """Run checks on one subject.

    Parameters
    ----------
    checks : iterable of Check
    subject : object
        Argument of each check.
    expected_failures : mapping of str to str
        Name of a check -> reason why it is known to fail. A listed check that passes fails.
    say : callable, optional
        Called with the name of each check before it runs, and with its outcome.

    Raises
    ------
    ValueError
        A reason is missing.
    """
    for name, reason in expected_failures.items():
        if not isinstance(reason, str) or not reason.strip():
            raise ValueError(
                f"expected_failures[{name!r}] is {reason!r}, expected a reason as text"
            )
    outcomes: list[Outcome] = []
    for check in checks:
        say(check.name)
        found = _skip_repeated_failure(check, outcomes) or _run(check, subject)
        outcomes.append(_once(_judge(found, expected_failures), outcomes))
        say(outcomes[-1])
    return tuple(outcomes)


def _skip_repeated_failure(check: Check, outcomes: Iterable[Outcome]) -> Outcome | None:
    """Return the outcome of a check that would repeat the failure of another one."""
    for before in outcomes:
        if before.check in check.needs and before.status in ("failed", "expected failure"):
            return Outcome(check.name, "skipped", message=f"{before.check!r} has already failed")
    return None


def _once(outcome: Outcome, outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome, as skipped if the author's code raised the same error before."""
    for before in outcomes:
        if outcome.status == before.status == "failed" and _cause(outcome) == _cause(before):
            text = f"it fails as {before.check!r} does"
            return replace(outcome, status="skipped", message=text, where="")
    return outcome


def _cause(outcome: Outcome) -> Any:
    """Return the identity of an error: the line that raised it and its type."""
    kind = outcome.message.partition(":")[0]
    return (outcome.where, kind) if outcome.where else object()


def selected(
    checks: Iterable[Check], subject: str, only: str | None, expected_failures: Iterable[str] = ()
) -> list[Check]:
    """Return the checks whose ``subject/check`` matches the regular expression `only`; None: all.

    Raises
    ------
    ValueError
        `only` is not a valid regular expression, or an expected failure names no existing check.
    """
    table = list(checks)
    names = [check.name for check in table]
    for name in expected_failures:
        if name not in names:
            raise ValueError(
                f"expected_failures names {name!r}, which is not a check; "
                f"expected one of {', '.join(names)}"
            )
    if only is None:
        return table
    try:
        pattern = re.compile(only)
    except re.error as error:
        raise ValueError(f"only={only!r} is not a valid regular expression: {error}") from None
    return [check for check in table if pattern.search(f"{subject}/{check.name}")]


def _run(check: Check, subject: Any) -> Outcome:
    start = time.perf_counter()
    status, samples, message, where = "passed", 0, "", ""
    try:
        with silenced():
            found = check.run(subject)
        remark = found if isinstance(found, Remark) else Remark(found)
        samples, message = remark.samples, remark.text
    except NotApplicable as reason:
        status, message = "skipped", str(reason)
    except Unwise as reason:
        status, message = "warned", str(reason)
    # Code under development may raise any exception.
    except (Exception, SystemExit) as error:
        status, message, where = "failed", *_failure_text(error)
    return Outcome(check.name, status, samples, message, time.perf_counter() - start, where)


def _judge(outcome: Outcome, expected_failures: Mapping[str, str]) -> Outcome:
    reason = expected_failures.get(outcome.check)
    if reason is None or outcome.status == "skipped":
        return outcome
    if outcome.status == "failed":
        return Outcome(outcome.check, "expected failure", 0, reason, outcome.seconds)
    text = f"it passes, but was expected to fail ({reason}); remove it from expected_failures"
    return Outcome(outcome.check, "failed", outcome.samples, text, outcome.seconds)


def _failure_text(error: BaseException) -> tuple[str, str]:
    """Return the text of a failure, and the line of the author's code if that raised it."""
    text = str(error).strip()
    if isinstance(error, AssertionError) and text:
        return text, ""
    theirs = [
        (frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if not _is_ours(frame)
    ]
    where = "{}:{}".format(*theirs[-1]) if theirs else ""
    return f"{type(error).__qualname__}: {text}", where


def _is_ours(frame: FrameType) -> bool:
    """Return whether code is opforge's, NumPy's or generated, as opposed to the author's."""
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    known = package in ("opforge", __name__.partition(".")[0], "numpy")
    return known or frame.f_code.co_filename.startswith("<")
