"""MXNet's `library`: loading of operators from shared libraries.

A library of opforge holds only C functions. Arguments and attributes of its operators are declared
in Python, by the plugin whose package the library is in, so that this package is imported.
"""

import importlib
import os
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from opforge.base.errors import OpforgeError, PluginError
from opforge.op.registry.naming import normalize
from opforge.op.registry.registry import OPERATORS, custom_names, transaction
from opforge.op.registry.table import TABLES
from opforge.plugin import RESOLVER
from opforge.plugin.discovery import GROUPS, Provider
from opforge.plugin.loading import register_entry_point, register_hooks

__all__ = ["load"]

_LIBRARIES = (".so", ".dll", ".pyd")
#: First bytes of shared libraries: ELF, Windows and macOS.
_MAGIC = (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")


def load(path: str, verbose: bool = True) -> None:
    """Load the operators of a native plugin that is not installed, for the current process.

    They become functions of `nd` and `sym`, like those of installed plugins. The library has no
    declarations of its operators, so the plugin's package, which contains the library, is imported.
    The plugin may be the source folder of a project, in which the library was built.

    Parameters
    ----------
    path : str
        Absolute path of the library in the package (``/home/me/acme/_native.so``), or of the
        plugin's Python module (``/home/me/acme/__init__.py``).
    verbose : bool, default True
        Print the names of the operators to standard error.

    Raises
    ------
    OpforgeError
        The path is relative or missing; the file is not a library of opforge, was built for another
        version of the interface, or has no package with declarations; or an operator of the same
        name exists. No operator is registered then.
    """
    if not os.path.exists(path):
        raise OpforgeError(f"load path {path} does NOT exist")
    if not os.path.isabs(path):
        raise OpforgeError(f"load path {path} is not an absolute path")
    file = Path(path).resolve()
    if file.suffix in _LIBRARIES and file.is_file():
        _expect_library(file)
    elif file.suffix != ".py":
        raise OpforgeError(f"load path {path} is NOT a library file")
    name, folder = _plugin_module(file)
    found = _load_installed(name, folder)
    if found is None:
        found = _load_module(name, folder)
    if verbose:
        print(f"Found {len(found)} operators in library", file=sys.stderr)
        for number, operator in enumerate(found):
            print(f"\tOp[{number}] {operator}", file=sys.stderr)


def _expect_library(file: Path) -> None:
    """Reject files that are not a library of opforge, without loading them."""
    content = file.read_bytes()
    if not content.startswith(_MAGIC):
        raise OpforgeError(f"Error loading library: '{file}' is not a shared library")
    if b"_opRegSize" in content or b"MXLoadLib" in content:
        raise OpforgeError(
            f"Error loading library: '{file}' is a library for MXNet's core, which opforge does "
            "not have. Turn its operators into a plugin: `opforge new NAME --kind native-c` "
            "creates a project for operators in C"
        )
    if b"opforge_library" not in content or b"PyInit_" not in content:
        raise OpforgeError(
            f"Error loading library: '{file}' is not an extension module with C functions for "
            "opforge; `opforge new NAME --kind native-c` creates a project for operators in C"
        )


def _plugin_module(file: Path) -> tuple[str, Path]:
    """Return the name of the plugin module to import, and the folder that contains it."""
    folder = file.parent
    if not (folder / "__init__.py").exists():
        if file.suffix == ".py":
            return file.stem, folder
        raise OpforgeError(
            f"Error loading library: '{file}' holds C functions, but not the arguments and "
            "attributes of their operators, which a plugin's package declares; load it from the "
            "package, or pass the path of the plugin's Python module"
        )
    while (folder.parent / "__init__.py").exists():
        folder = folder.parent
    return folder.name, folder.parent


def _load_installed(name: str, folder: Path) -> list[str] | None:
    """Load the installed plugin with this module; return its operators, or None if not found."""
    for state in RESOLVER.states().values():
        modules = {value.partition(":")[0] for value in state.provider.modules.values()}
        if not any(module == name or module.startswith(f"{name}.") for module in modules):
            continue
        spec = find_spec(name)
        if spec is None or not _is_inside(spec.origin, folder):
            continue
        RESOLVER.load(state.provider.name)
        state = RESOLVER.states()[state.provider.key]
        if state.state != "loaded":
            raise PluginError(
                f"library.load: the installed plugin {state.provider.name} "
                f"{state.provider.version} is {state.state}: {state.error or state.reason}\n"
                f"{state.trace}".rstrip()
            )
        return state.provider.names("operator")
    return None


def _load_module(name: str, folder: Path) -> list[str]:
    """Import and register a plugin that is not installed; return the names of its operators."""
    known = sys.modules.get(name)
    if known is not None:
        origin = getattr(known, "__file__", None)
        if not _is_inside(origin, folder):
            raise OpforgeError(
                f"library.load: the module {name!r} in {folder} cannot be imported, because "
                f"{origin or 'a built-in module'} has its name"
            )
        found = _operators_of(name)
        if found:
            return found
    before = set(sys.modules)
    try:
        with transaction(), _importable(folder):
            version = getattr(importlib.import_module(name), "__version__", "")
            _register(_project(name, str(version), folder))
            _expect_new_names(name)
    except BaseException as error:
        for module in set(sys.modules) - before:
            if module == name or module.startswith(f"{name}."):
                del sys.modules[module]
        if isinstance(error, ImportError):
            raise PluginError(f"Error loading library: {name} in {folder}: {error}") from error
        raise
    return _operators_of(name)


def _project(name: str, version: str, folder: Path) -> Provider:
    """Return what a package that is not installed provides, by the metadata of its project."""
    files = [place / "pyproject.toml" for place in (folder, folder.parent)]
    text = next((file.read_text(encoding="utf-8") for file in files if file.is_file()), "")
    groups = tomllib.loads(text).get("project", {}).get("entry-points", {})
    provides = {
        noun: {
            point: value
            for point, value in groups.get(group, {}).items()
            if value.partition(":")[0].partition(".")[0] == name
        }
        for noun, group in GROUPS.items()
    }
    return Provider(name, version, {name: name}, provides)


def _register(provider: Provider) -> None:
    """Register what the hooks and the entry points of a package name."""
    register_hooks(provider)
    for noun, name in provider.contributions():
        if provider.key not in TABLES[noun].providers(name):
            register_entry_point(provider, noun, name)
    if not any(e.provider == provider.name for table in TABLES.values() for e in table.entries()):
        raise PluginError(
            f"library.load: the package {provider.name} has no hooks, and no pyproject.toml "
            "next to it has entry points for opforge that name its operators"
        )


def _is_inside(origin: str | None, folder: Path) -> bool:
    """Return whether the file of a module is in a folder."""
    return origin is not None and Path(origin).resolve().is_relative_to(folder)


def _operators_of(provider: str) -> list[str]:
    return sorted(entry.name for entry in OPERATORS.entries() if entry.provider == provider)


def _expect_new_names(provider: str) -> None:
    """Reject operators whose names others have."""
    for name in _operators_of(provider):
        others = {
            *OPERATORS.providers(name),
            *map(normalize, RESOLVER.providers("operator", name)),
        } - {normalize(provider)}
        if name in custom_names():
            others.add("the program")
        if others:
            raise PluginError(
                f"library.load: operator {name!r} is registered already, by "
                f"{', '.join(sorted(others))}; rename that of {provider}"
            )


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Import modules from a folder in the block."""
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
