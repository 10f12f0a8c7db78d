"""``opforge doctor``: everything that is wrong, each with the line that mends it."""

from dataclasses import asdict

import typer

from ...reference.rows import import_core
from ..printing import plugin_tables
from ..printing.console import print_json
from .options import Json

__all__ = ["doctor"]


def doctor(as_json: Json = False) -> None:
    """Look for everything that is wrong with plugins and settings; exit status 1 if there is any.

    Each plugin is loaded in another process, where it may also examine the machine.
    """
    from ...inspection.findings import find_all
    from ...inspection.trial import try_plugins

    import_core()
    found = [asdict(finding) for finding in find_all(try_plugins)]
    wrong = [finding for finding in found if finding["remedy"]]
    print_json(wrong) if as_json else plugin_tables.print_findings(found)
    if wrong:
        raise typer.Exit(1)
