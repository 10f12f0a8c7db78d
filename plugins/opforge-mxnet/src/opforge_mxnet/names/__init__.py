"""MXNet's alternative import paths of opforge's names, as aliases and as modules.

`ALIASES` is the table that the entry point in the group ``opforge.aliases`` names. The modules of
MXNet that opforge does not have (`MODULES`) are created here, without files; the plugin provides
those below packages of the core, and `add_names` adds the others to packages of this plugin.
Nothing is imported until a program uses a name.
"""

import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from opforge.plugin.importing import import_object
from opforge.plugin_api import MissingName, add_aliases

from .missing import MISSING
from .table import FUNCTIONS, MODULES, NAMES

__all__ = ["ALIASES", "add_names", "alias_modules"]

_PLUGIN = __name__.partition(".")[0]
#: Packages below `opforge` of this plugin that contain modules of MXNet.
_OWN = ("gluon.contrib.", "rnn.")
_WHY = MissingName(
    "MXNet 1.9.1 has it, opforge does not yet; docs/reference/mxnet-api.md lists what is missing"
)


def alias_modules() -> dict[str, str]:
    """Return path below `opforge` -> import path of the modules below packages of the core."""
    return {path: _module_name(path) for path in MODULES if not path.startswith(_OWN)}


def add_names(name: str) -> None:
    """Add MXNet's other names to a module of this plugin, and the modules below it.

    Call it at the end of the module.

    Parameters
    ----------
    name : str
        The module's ``__name__``.
    """
    attributes = vars(sys.modules[name])
    for path in MODULES:
        parent, _, leaf = path.rpartition(".")
        if f"{_PLUGIN}.{parent}" == name:
            # Importing a module below one that is a file requires a path.
            attributes.setdefault("__path__", [])
            attributes[leaf] = _create_module(path)
    add_aliases(name)


def _module_name(path: str) -> str:
    if path.startswith(_OWN):
        return f"{_PLUGIN}.{path}"
    return f"{__name__}.{path.replace('.', '_')}"


def _targets(path: str) -> Iterator[tuple[str, str]]:
    """Yield name and import path of the names that a module only imports in MXNet."""
    for source, parts in NAMES.get(path, {}).items():
        module = source.removeprefix("python:")
        if module == source:
            module = f"opforge.{source}".rstrip(".")
        for part in parts.split():
            name, renamed, other = part.partition("=")
            is_module = renamed and not other
            yield name, module if is_module else f"{module}:{other or name}"


class _Names:
    """Attributes of a module without a file.

    Parameters
    ----------
    path : str
        Path of the module below `opforge`.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._targets = dict(_targets(path))

    def attribute(self, name: str) -> Any:
        """Return an attribute from the modules that have its names, or from a row."""
        if name == "__all__":
            return self.public()
        if not name.startswith("__"):
            for module in self._sources():
                if hasattr(module, name):
                    return getattr(module, name)
            if name in self._targets:
                return import_object(self._targets[name])
        raise AttributeError(f"module 'opforge.{self._path}' has no attribute {name!r}")

    def public(self) -> list[str]:
        """Return the public names of the module, sorted."""
        found: set[str] = set()
        for module in self._sources():
            loaded = vars(module)
            found.update(n for n in dir(module) if not isinstance(loaded.get(n), ModuleType))
        return sorted(name for name in found if not name.startswith("_"))

    def _sources(self) -> list[ModuleType]:
        return [import_module(f"opforge.{source}") for source in MODULES[self._path]]


class _CallableModule(ModuleType):
    """Module with the name of a function of its package, whose attribute it becomes on import."""

    path = ""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        package, _, name = self.path.rpartition(".")
        # The package's own attribute is this module by now.
        function = import_module(f"opforge.{package}").__getattr__(name)
        return function(*args, **kwargs)


def _create_module(path: str) -> ModuleType:
    name, names = _module_name(path), _Names(path)
    kind = _CallableModule if path in FUNCTIONS else ModuleType
    module = kind(name, f"MXNet's module {path}: the names of {', '.join(MODULES[path])}.")
    if isinstance(module, _CallableModule):
        module.path = path
    module.__spec__ = ModuleSpec(name, None)
    vars(module).update(__getattr__=names.attribute, __dir__=names.public)
    sys.modules[name] = module
    add_aliases(name, path)
    return module


def _missing_rows(path: str) -> dict[str, str]:
    """Return the explanations for a module, which may have the names of several."""
    names = " ".join(MISSING.get(source, "") for source in (path, *MODULES.get(path, ())))
    return dict.fromkeys(names.split(), _WHY)


#: Module below `opforge` -> name -> import path, or the explanation of a missing name.
ALIASES: dict[str, dict[str, str]] = {
    path: {**_missing_rows(path), **({} if path in MODULES else dict(_targets(path)))}
    for path in sorted({*NAMES, *MISSING, *MODULES})
}
for _path in alias_modules():
    _create_module(_path)
