"""`FakePlugins`: control which plugins a test sees, and create fake distributions."""

import importlib
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

from opforge.op.declaring.declaration import OperatorProp
from opforge.plugin.hookspecs import hookimpl

from ._battery.project.metadata import write_metadata
from ._isolation import isolated

__all__ = ["FakePlugins"]


class FakePlugins:
    """Shared part of the fixtures ``only_plugin`` and ``fake_dist``; `close` undoes everything.

    Parameters
    ----------
    folder : Path
        Folder for the files of fake distributions.
    monkeypatch : pytest.MonkeyPatch
        Restores the environment and ``sys.path``.
    """

    def __init__(self, folder: Path, monkeypatch: Any) -> None:
        self._folder = folder
        self._monkeypatch = monkeypatch
        self._stack = ExitStack()
        self._visible: list[str] = []
        self._modules = set(sys.modules)

    def only(self, *distributions: str) -> None:
        """Hide all plugins except these and the fake ones."""
        self._see(distributions)

    def install(
        self,
        name: str,
        *,
        operators: "Mapping[str, str] | Iterable[type]" = (),
        layers: "Mapping[str, str] | Iterable[type]" = (),
        files: Mapping[str, str] | None = None,
        version: str = "1.0",
        module: str | None = None,
    ) -> Path:
        """Make a distribution visible as if it were installed.

        Parameters
        ----------
        name : str
            Name of the distribution.
        operators, layers : mapping of str to str, or iterable of type
            Entry points, name -> ``module:Class``, of modules in `files`; or the classes
            themselves, for which a plugin module is created.
        files : mapping of str to str, optional
            Path -> text, relative to the folder of installed packages.
        version : str
        module : str, optional
            The plugin's module; None: `name` with underscores.

        Returns
        -------
        Path
            Folder with the files, which is on ``sys.path`` until the test ends.
        """
        module = module or name.replace("-", "_")
        place = self._folder / module
        place.mkdir()
        for path, text in (files or {}).items():
            target = place / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        classes = [_classes(operators), _classes(layers)]
        if any(classes):
            self._monkeypatch.setitem(sys.modules, module, _plugin_module(module, *classes))
        points = {
            "opforge": {module: module},
            "opforge.ops": _entry_points(operators, module),
            "opforge.layers": _entry_points(layers, module),
        }
        write_metadata(place, name, version, points)
        self._monkeypatch.syspath_prepend(str(place))
        self._see([name])
        return place

    def close(self) -> None:
        """Show the installed plugins again and remove the modules of the fake ones."""
        self._stack.close()
        inside = str(self._folder)
        for name in set(sys.modules) - self._modules:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(inside):
                del sys.modules[name]

    def _see(self, distributions: Iterable[str]) -> None:
        self._visible += distributions
        self._monkeypatch.setenv("OPFORGE_PLUGINS", ",".join(self._visible) or "none")
        self._monkeypatch.setenv("OPFORGE_CONFIG", os.devnull)  # the user's pins and switches
        importlib.invalidate_caches()
        self._stack.enter_context(isolated(lambda entry: entry.kind != "plugin"))


def _classes(given: "Mapping[str, str] | Iterable[type]") -> list[Any]:
    return [] if isinstance(given, Mapping) else list(given)


def _entry_points(given: "Mapping[str, str] | Iterable[type]", module: str) -> dict[str, str]:
    if isinstance(given, Mapping):
        return dict(given)
    return {_name(item): f"{module}:{item.__name__}" for item in given}


def _name(item: Any) -> str:
    """Return the name of a declaration, or the class name of a layer."""
    return item.name if issubclass(item, OperatorProp) else item.__name__


def _plugin_module(name: str, operators: list[Any], layers: list[Any]) -> ModuleType:
    """Return a module whose hooks return these classes."""
    made = ModuleType(name, "A plugin made by a test.")
    for item in (*operators, *layers):
        setattr(made, item.__name__, item)

    def opforge_operators() -> list[Any]:
        return operators

    def opforge_layers() -> list[Any]:
        return layers

    made.opforge_operators = hookimpl(opforge_operators)  # type: ignore[attr-defined]
    made.opforge_layers = hookimpl(opforge_layers)  # type: ignore[attr-defined]
    return made
