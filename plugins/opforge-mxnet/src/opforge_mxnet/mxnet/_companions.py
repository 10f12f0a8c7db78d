"""The finder behind ``import horovod.mxnet``: modules that MXNet's programs import beside MXNet.

Plugins bring them, by the entry point group `COMPANIONS`, whose names are those of the modules. It
is asked last of all finders, so that the real package goes before where it is installed.
"""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import EntryPoint
from types import ModuleType

from opforge.base.foreign_modules import standing_in
from opforge.plugin.command_line import functions_of

__all__ = ["COMPANIONS", "CompanionFinder"]

COMPANIONS = "opforge.companions"


class CompanionFinder(MetaPathFinder):
    """Finds what plugins bring under names of other packages, and those packages themselves."""

    def __init__(self) -> None:
        self._points: dict[str, EntryPoint] | None = None
        self._given: list[str] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a companion, or of a package that has nothing but companions."""
        if self._points is None:
            self._points = {}  # reading metadata may import, which asks here
            self._points = functions_of(COMPANIONS)
        point = self._points.get(fullname)
        if point is None and not any(name.startswith(f"{fullname}.") for name in self._points):
            return None
        self._given.append(fullname)
        if point is None:
            return ModuleSpec(fullname, None, is_package=True)  # a namespace
        return standing_in(fullname, point.load)

    def forget(self) -> None:
        """Let later imports find none of what was found here."""
        for name in self._given:
            sys.modules.pop(name, None)
