"""Temporary import of a project folder as if it were installed."""

import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from opforge import plugin
from opforge.plugin.discovery import COMMANDS

from .metadata import write_metadata

__all__ = ["installed_project"]


@contextmanager
def installed_project(folder: Path) -> Iterator[str]:
    """Make the plugin of a project visible within the block, without installing it.

    It takes precedence over an installed version. Its requirements must be installed and its native
    modules built in place.

    Parameters
    ----------
    folder : Path
        Folder with a ``pyproject.toml`` that defines the entry points.

    Yields
    ------
    str
        Name of the distribution.

    Raises
    ------
    LookupError
        The file is missing or has no entry points of opforge.
    """
    table = _read(folder)
    project = table["project"]
    name = project["name"]
    points = {
        group: entries
        for group, entries in project.get("entry-points", {}).items()
        if group == "opforge" or group.startswith("opforge.")
    }
    if "opforge" not in points and COMMANDS not in points:
        raise LookupError(
            f"{folder / 'pyproject.toml'} has no entry points in the group 'opforge'; add "
            f'[project.entry-points.opforge] {name.removeprefix("opforge-")} = "the_module", or '
            f"[project.entry-points.{COMMANDS!r}] for a command"
        )
    with tempfile.TemporaryDirectory() as place:
        version = str(project.get("version", "0"))
        requires = project.get("dependencies", ())
        write_metadata(Path(place), name, version, points, folder, requires)
        added = [place, str(_sources(folder, table))]
        sys.path[:0] = added
        plugin.refresh()
        try:
            yield name
        finally:
            for item in added:
                sys.path.remove(item)
            plugin.refresh()


def _read(folder: Path) -> dict[str, Any]:
    path = folder / "pyproject.toml"
    if not path.is_file():
        raise LookupError(f"{folder} has no pyproject.toml; pass the folder of a project")
    with path.open("rb") as file:
        table = tomllib.load(file)
    if "name" not in table.get("project", {}):
        raise LookupError(f"{path} has no [project] with a name")
    return table


def _sources(folder: Path, table: Mapping[str, Any]) -> Path:
    """Return the folder with the packages: setuptools' setting, else src, else the project."""
    setuptools = table.get("tool", {}).get("setuptools", {})
    packages = setuptools.get("packages", {})
    where = packages.get("find", {}).get("where", []) if isinstance(packages, dict) else []
    told = where[0] if where else setuptools.get("package-dir", {}).get("")
    if told is not None:
        return folder / told
    return folder / "src" if (folder / "src").is_dir() else folder
