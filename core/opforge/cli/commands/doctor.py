"""``opforge doctor``: problems with plugins and settings, each with its fix."""

from dataclasses import asdict

import typer

from ..inspection.trial import TIME_LIMIT, trials
from ..printing import plugin_tables
from ..printing.console import print_json
from ..reference.rows import import_core
from .options import Json, Timeout

__all__ = ["doctor"]


def doctor(as_json: Json = False, timeout: Timeout = TIME_LIMIT) -> None:
    """Diagnose problems with plugins and settings; exit status 1 if there are any.

    Each plugin is loaded in another process, where it may also examine the machine. Findings are
    printed as they occur.
    """
    from ..inspection.findings import find_all

    found = (
        asdict(finding)
        for finding in find_all(lambda names: trials(names, timeout), prepare=import_core)
    )
    if as_json:
        wrong = [finding for finding in found if finding["remedy"]]
        print_json(wrong)
        count = len(wrong)
    else:
        count = plugin_tables.print_findings(found)
    if count:
        raise typer.Exit(1)
