"""Plugin of mypy that updates the type stubs of installed operators before each check.

Enable it with ``plugins = ["opforge_tools.mypy_plugin"]`` in mypy's configuration, which is also
the consent to write into site-packages.
"""

import sys
import sysconfig
from pathlib import Path

from mypy.plugin import Plugin

from .reference.files import write_files
from .reference.stubs import stub_texts

__all__ = ["plugin"]


def plugin(version: str) -> type[Plugin]:
    """Write the stubs that are out of date, and return a plugin without hooks.

    If site-packages cannot be written to, the check goes on with the stubs that are there.
    """
    try:
        write_files(Path(sysconfig.get_path("purelib")), stub_texts())
    except OSError as error:
        print(f"opforge_tools.mypy_plugin: the stubs are not updated: {error}", file=sys.stderr)
    return Plugin
