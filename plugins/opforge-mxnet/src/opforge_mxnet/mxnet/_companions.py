"""Finder behind ``import horovod.mxnet``: modules that MXNet programs import besides MXNet.

Plugins provide them through the entry point group `COMPANIONS`, named by module. This finder is
last on the meta path, so an installed real package takes precedence.
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
    """Meta path finder for plugins' modules under names of other packages."""

    def __init__(self) -> None:
        self._points: dict[str, EntryPoint] | None = None
        self._given: list[str] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a companion, or of a package that contains only companions."""
        if self._points is None:
            self._points = {}  # reading metadata may import modules, which calls this finder
            self._points = functions_of(COMPANIONS)
        point = self._points.get(fullname)
        if point is None and not any(name.startswith(f"{fullname}.") for name in self._points):
            return None
        self._given.append(fullname)
        if point is None:
            return ModuleSpec(fullname, None, is_package=True)  # a namespace
        return standing_in(fullname, point.load)

    def forget(self) -> None:
        """Make later imports fail for modules that this finder provided."""
        for name in self._given:
            sys.modules.pop(name, None)
