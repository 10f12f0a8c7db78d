"""Remedies for plugins that do not load or do not match their metadata.

Authors and users of a plugin need different advice; an editable installation is assumed to be its
author's. Used for errors and by the command line, never while a plugin loads.
"""

import re
import shlex
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from .module_location import locate
from .record import editable_folder
from .requirements import unmet_requirements

__all__ = ["failure_remedy", "metadata_remedy", "reinstall_line", "update_line"]

#: Messages of Python for a missing module, or a missing name in a module.
_NO_MODULE = re.compile(r"No module named '(?:([\w.]+)\.)?(\w+)'")
_NO_NAME = re.compile(
    r"cannot import name '(\w+)' from (?:partially initialized module )?'([\w.]+)'"
)
#: Parts of errors about native code that is missing or incompatible.
_BUILD_ERRORS = (
    "is built for none of",
    "undefined symbol",
    "was built for version",
    "invalid ELF header",
)
_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".pyx", ".f90", ".rs")
_BUILD_FILES = ("setup.py", "pyproject.toml", "meson.build", "CMakeLists.txt")


def failure_remedy(name: str, error: str = "") -> str:
    """Return what to do about a plugin that does not load.

    Parameters
    ----------
    name : str
        Its distribution.
    error : str, optional
        Error message of loading it.
    """
    try:
        found = distribution(name)
        unmet, folder = unmet_requirements(found), editable_folder(found)
    except (PackageNotFoundError, ValueError):
        unmet, folder = [], ""
    if unmet:
        return f"{unmet[0].text}: {unmet[0].line(name)}"
    if "upgrade opforge" in error:  # it was built for a newer native interface
        fix = "pip install -U opforge"
    else:
        fix = _authors_line(folder, error) if folder else update_line(name)
        if "is in quarantine" in error:
            fix += ", or load it anyway with OPFORGE_PROBE=0"
    return f"{fix}, or disable it: opforge plugins disable {name}"


def metadata_remedy(name: str) -> str:
    """Return what to do if metadata and code of a plugin name different contributions."""
    try:
        folder = editable_folder(distribution(name))
    except (PackageNotFoundError, ValueError):
        folder = ""
    if not folder:
        return update_line(name)
    # Installation writes the metadata; later changes of pyproject.toml do not update it.
    return f"update the entry points in pyproject.toml, and reinstall it: {_install(folder)}"


def update_line(name: str) -> str:
    """Return what a user who is not the author of a plugin can do."""
    return f"pip install -U {name}, or report it to its authors"


def reinstall_line(name: str, version: str) -> str:
    """Return the command that restores a distribution's files."""
    return f"pip install --force-reinstall --no-deps {name}=={version}"


def _authors_line(folder: str, error: str) -> str:
    """Return what the author can do: build native code, or fix the plugin."""
    if _is_unbuilt(folder, error) or any(text in error for text in _BUILD_ERRORS):
        return f"build it: {_install(folder)}"
    if "is in quarantine" in error:
        return f"fix its native code in {shlex.quote(folder)} and build it: {_install(folder)}"
    return f"fix it in {shlex.quote(folder)}"


def _is_unbuilt(project: str, error: str) -> bool:
    """Return whether the missing module is a compiled one that has not been built."""
    found, named = _NO_MODULE.search(error), _NO_NAME.search(error)
    if found is not None:
        package, module = found.groups(default="")
    elif named is not None:
        module, package = named.groups()
    else:
        return False
    init = locate(package) if package else None
    folder = Path(project) if init is None else init.parent
    if any((folder / f"{module}{suffix}").is_file() for suffix in _SOURCES):
        return True
    # Its sources may be anywhere, but the build files contain its name.
    files = (Path(project) / name for name in _BUILD_FILES)
    return bool(package) and any(f"{package}.{module}" in _text(file) for file in files)


def _install(folder: str) -> str:
    return f"pip install -e {shlex.quote(folder)}"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
