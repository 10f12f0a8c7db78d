"""Badges of operators and layers, from the reports of ``opforge check --json``."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opforge.op.registry.naming import normalize
from opforge.plugin import Provider

__all__ = ["Badge", "badge_of", "read_badges"]

#: Normalized distribution, kind and name; empty if a report lacks them.
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Badge:
    """Outcome of the battery for one operator or layer.

    Parameters
    ----------
    checks : tuple of (str, str, str)
        Name, outcome and message of each check.
    version : str
        Version of the checked distribution; empty if the report lacks it.
    """

    checks: tuple[tuple[str, str, str], ...]
    version: str = ""

    @property
    def state(self) -> str:
        """``passed``, ``failed`` or, if nothing ran, ``unknown``."""
        outcomes = {outcome for _, outcome, _ in self.checks}
        return "failed" if "failed" in outcomes else "passed" if "passed" in outcomes else "unknown"

    @property
    def text(self) -> str:
        """Number of checks for each outcome."""
        counts = Counter(outcome for _, outcome, _ in self.checks)
        return ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))


def badge_of(badges: Mapping[Key, Badge], provider: Provider, kind: str, name: str) -> Badge | None:
    """Return the badge of an operator or layer: for the version of `provider`, or None.

    Examples
    --------
    >>> badges = {("acme-gelu", "operator", "gelu"): Badge((), "1.2")}
    >>> badge_of(badges, Provider("Acme_Gelu", "1.3"), "operator", "gelu") is None
    True
    """
    key = normalize(provider.name)
    for wanted in ((key, kind, name), (key, "", name), ("", kind, name), ("", "", name)):
        badge = badges.get(wanted)
        if badge is not None and badge.version in ("", provider.version):
            return badge
    return None


def read_badges(folder: Path) -> dict[Key, Badge]:
    """Return badges by distribution, kind and name; ignore files that are not reports.

    Parameters
    ----------
    folder : Path
        Folder of JSON files. A report without a distribution or kind applies to all.
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
            provider, _, version = _first(report, "provider", "distribution").partition(" ")
            checks = [c for c in report["checks"] if isinstance(c, dict)]
            found[normalize(provider), _first(report, "kind"), name] = Badge(
                tuple(
                    (_first(c, "check", "name"), _outcome(c), _first(c, "message", "reason"))
                    for c in checks
                ),
                version,
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
