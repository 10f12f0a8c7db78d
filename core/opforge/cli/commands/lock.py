"""``opforge lock``: a file with versions and digests of all plugins, and its comparison."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ...base.files import replacing
from ...plugin.lock_file import LOCK_NAME, lock_text
from ..inspection.locking import lock_differences, locked_plugins
from ..inspection.trial import TIME_LIMIT
from ..printing.console import print_json
from ..printing.plugin_tables import print_differences, print_locked
from .options import Json, Timeout

__all__ = ["lock"]

LockFile = Annotated[Path, typer.Argument(help="The lock file.", metavar="FILE")]

lock = typer.Typer(
    help="Write versions and digests of all plugins to a lock file, or compare them with it.",
    invoke_without_command=True,
)


@lock.callback()
def main(
    context: typer.Context,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="File to write.")
    ] = Path(LOCK_NAME),
    timeout: Timeout = TIME_LIMIT,
    as_json: Json = False,
) -> None:
    """Write a lock file: each enabled plugin with its version, digest and native interface.

    Plugins are loaded in another process, which reports their native interfaces.
    OPFORGE_PLUGINS="-lock opforge.lock" loads only plugins that do not differ from the file.
    """
    if context.invoked_subcommand is not None:
        return
    found = locked_plugins(timeout)
    with replacing(output) as file:
        file.write(lock_text(found).encode())
    if as_json:
        print_json({"file": str(output), "plugins": [asdict(each) for each in found]})
    else:
        print_locked(found, output)


@lock.command("check")
def check_lock(path: LockFile = Path(LOCK_NAME), as_json: Json = False) -> None:
    """Compare installed plugins with a lock file; exit status 1 if any differs."""
    found = lock_differences(path)
    print_json(found) if as_json else print_differences(found, path)
    if found:
        raise typer.Exit(1)
