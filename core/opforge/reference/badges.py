"""What reports of ``opforge check --json`` say of each operator and layer, read leniently."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..op.naming import normalise

__all__ = ["Badge", "read_badges"]


@dataclass(frozen=True)
class Badge:
    """The outcome of the battery for one operator or layer.

    Parameters
    ----------
    checks : tuple of (str, str, str)
        Name, outcome and message of each check.
    """

    checks: tuple[tuple[str, str, str], ...]

    @property
    def state(self) -> str:
        """``passed``, ``failed`` or, where nothing ran, ``unknown``."""
        outcomes = {outcome for _, outcome, _ in self.checks}
        return "failed" if "failed" in outcomes else "passed" if "passed" in outcomes else "unknown"

    @property
    def text(self) -> str:
        """How many checks had which outcome."""
        counts = Counter(outcome for _, outcome, _ in self.checks)
        return ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))


def read_badges(folder: Path) -> dict[tuple[str, str], Badge]:
    """Return badges by normalised distribution and name; what is no report is passed over.

    Parameters
    ----------
    folder : Path
        Of JSON files. A report may lack its distribution; it then counts for every one.
    """
    found = {}
    for path in sorted(folder.glob("*.json")):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            continue
        for report in _reports(content):
            name = _first(report, "subject", "operator", "name")
            # "acme-gelu 1.2" as well as "acme-gelu"
            provider = normalise(_first(report, "provider", "distribution").partition(" ")[0])
            checks = [c for c in report["checks"] if isinstance(c, dict)]
            found[provider, name] = Badge(
                tuple(
                    (_first(c, "check", "name"), _outcome(c), _first(c, "message", "reason"))
                    for c in checks
                )
            )
    return found


def _reports(content: Any) -> Iterator[dict[str, Any]]:
    if isinstance(content, list):
        for part in content:
            yield from _reports(part)
    elif isinstance(content, dict):
        if isinstance(content.get("checks"), list):
            yield content
        elif isinstance(content.get("reports"), list):
            yield from _reports(content["reports"])


def _first(row: dict[str, Any], *keys: str) -> str:
    return next((str(row[key]) for key in keys if row.get(key)), "")


def _outcome(row: dict[str, Any]) -> str:
    outcome = _first(row, "status", "outcome").lower()
    return {"ok": "passed", "pass": "passed", "fail": "failed", "skip": "skipped"}.get(
        outcome, outcome or "unknown"
    )
