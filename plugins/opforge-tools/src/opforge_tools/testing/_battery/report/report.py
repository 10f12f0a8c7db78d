"""`Report` of all outcomes of a battery, and `CheckFailedError`."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from .outcome import Outcome
from .table import text_of

__all__ = ["CheckFailedError", "Report"]


class CheckFailedError(AssertionError):
    """A check of the battery failed, or too few ran; the message has the table of all checks.

    Parameters
    ----------
    *reports : Report
        Reports that are not a pass.
    """

    def __init__(self, *reports: "Report") -> None:
        super().__init__("\n\n".join(f"{report.verdict}\n{report}" for report in reports))
        self.reports = reports


@dataclass(frozen=True)
class Report:
    """Outcomes of the battery for one operator, layer or distribution.

    Parameters
    ----------
    subject : str
    Name of the subject.
    kind : str
        "distribution", or the kind of contribution, one of `op.registry.kinds.KINDS`.
    provider : str
        Distribution and version; empty if the program itself registered the subject.
    outcomes : tuple of Outcome
        In the order in which the checks ran.
    minimum : int
        Number of checks that must have run.
    measured : mapping of str to float
        Figures that are reported but not judged; the names include units.

    Examples
    --------
    >>> from opforge.testing import check_op
    >>> report = check_op("tanh")
    >>> report.passed, report.status_of("gradients")
    (True, 'passed')
    """

    subject: str
    kind: str
    provider: str
    outcomes: tuple[Outcome, ...]
    minimum: int = 1
    measured: Mapping[str, float] = field(default_factory=dict)

    @property
    def ran(self) -> int:
        """Number of checks that ran, whatever their outcome."""
        return sum(outcome.status != "skipped" for outcome in self.outcomes)

    @property
    def failures(self) -> list[Outcome]:
        """Outcomes of the checks that failed."""
        return [outcome for outcome in self.outcomes if outcome.status == "failed"]

    @property
    def too_few(self) -> bool:
        """True if fewer checks ran than required."""
        return self.ran < self.minimum

    @property
    def passed(self) -> bool:
        """True if no check failed and enough ran."""
        return not self.failures and not self.too_few

    @property
    def verdict(self) -> str:
        """Result in one line."""
        counts = {
            status: sum(outcome.status == status for outcome in self.outcomes)
            for status in ("passed", "warned", "failed", "expected failure", "skipped")
        }
        text = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        few = f"; only {self.ran} ran; at least {self.minimum} are required" if self.too_few else ""
        return f"{self.kind} {self.subject}: {text or 'no check'}{few}"

    def status_of(self, check: str) -> str:
        """Return the status of the check with this name.

        Raises
        ------
        KeyError
            The report has no such check.
        """
        return {outcome.check: outcome.status for outcome in self.outcomes}[check]

    def message_of(self, check: str) -> str:
        """Return the message of the check with this name."""
        return {outcome.check: outcome.message for outcome in self.outcomes}[check]

    def raise_for_failures(self) -> None:
        """Raise if the report is not a pass.

        Raises
        ------
        CheckFailedError
            A check failed or too few ran; the message has the table of all.
        """
        if not self.passed:
            raise CheckFailedError(self)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as dictionaries, lists, strings and numbers."""
        return {
            "subject": self.subject,
            "kind": self.kind,
            "provider": self.provider,
            "passed": self.passed,
            "ran": self.ran,
            "minimum": self.minimum,
            "checks": [asdict(outcome) for outcome in self.outcomes],
            "measured": dict(self.measured),
        }

    def to_json(self) -> str:
        """Return the report as JSON text."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False)

    def __str__(self) -> str:
        return text_of(self.outcomes, self.measured)
