"""Remedies for plugins that do not load or do not match their metadata.

Who wrote a plugin and who installed it need different lines: a distribution that is installed for
development is its author's. Read for errors and by the command line, never while a plugin loads.
"""

import re
import shlex
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from .places import locate
from .record import editable_place
from .requirements import unmet_requirements

__all__ = ["failure_remedy", "metadata_remedy", "reinstall_line", "update_line"]

#: How Python and the loader name what is missing: a module, or a name of a module.
_NO_MODULE = re.compile(r"No module named '(?:([\w.]+)\.)?(\w+)'")
_NO_NAME = re.compile(
    r"cannot import name '(\w+)' from (?:partially initialized module )?'([\w.]+)'"
)
#: What errors say of native code that is not there, or does not fit what it runs on.
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
        What loading it said.
    """
    try:
        found = distribution(name)
        unmet, place = unmet_requirements(found), editable_place(found)
    except (PackageNotFoundError, ValueError):
        unmet, place = [], ""
    if unmet:
        return f"{unmet[0].text}: {unmet[0].line(name)}"
    if "upgrade opforge" in error:  # it was built for a newer native interface
        mend = "pip install -U opforge"
    else:
        mend = _authors_line(place, error) if place else update_line(name)
        if "is in quarantine" in error:
            mend += ", or load it all the same with OPFORGE_PROBE=0"
    return f"{mend}, or leave it out: opforge plugins disable {name}"


def metadata_remedy(name: str) -> str:
    """Return what to do where metadata and code of a plugin name different things."""
    try:
        place = editable_place(distribution(name))
    except (PackageNotFoundError, ValueError):
        place = ""
    if not place:
        return update_line(name)
    # Metadata are written when it is installed, and stay as they were.
    return f"let pyproject.toml name what the code has, and install it anew: {_install(place)}"


def update_line(name: str) -> str:
    """Return what somebody can do who did not write a plugin."""
    return f"pip install -U {name}, or tell its authors"


def reinstall_line(name: str, version: str) -> str:
    """Return the command that puts a distribution's own files back."""
    return f"pip install --force-reinstall --no-deps {name}=={version}"


def _authors_line(place: str, error: str) -> str:
    """Return what the author can do: build native code, or correct what is there."""
    if _is_unbuilt(place, error) or any(text in error for text in _BUILD_ERRORS):
        return f"build it: {_install(place)}"
    if "is in quarantine" in error:  # what is built stays as it was
        return f"correct its native code in {shlex.quote(place)} and build it: {_install(place)}"
    return f"correct it in {shlex.quote(place)}"


def _is_unbuilt(place: str, error: str) -> bool:
    """Tell whether what is missing is a module that is compiled, and is not yet."""
    found, named = _NO_MODULE.search(error), _NO_NAME.search(error)
    if found is not None:
        package, module = found.groups(default="")
    elif named is not None:
        module, package = named.groups()
    else:
        return False
    around = locate(package) if package else None
    folder = Path(place) if around is None else around.parent
    if any((folder / f"{module}{suffix}").is_file() for suffix in _SOURCES):
        return True
    # Its sources may stand anywhere; what builds it has its name.
    files = (Path(place) / name for name in _BUILD_FILES)
    return bool(package) and any(f"{package}.{module}" in _text(file) for file in files)


def _install(place: str) -> str:
    return f"pip install -e {shlex.quote(place)}"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
