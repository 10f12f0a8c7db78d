"""Changes of the file of settings that leave everything else in it as it is, comments included."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from ..base.errors import PluginError
from ..op.registry.naming import normalise
from .settings import settings_path

__all__ = ["allow", "disable", "enable", "pin", "unpin"]


def disable(distribution: str) -> Path:
    """Leave a distribution out from now on; return the file."""

    def change(table: Any) -> None:
        _without(table, "disabled", distribution)
        _list(table, "disabled").append(distribution)

    return _edit(change)


def enable(distribution: str) -> Path:
    """No longer leave a distribution out; return the file."""
    return _edit(lambda table: _without(table, "disabled", distribution))


def allow(distribution: str, digest: str = "") -> Path:
    """Add a distribution to those that are allowed; return the file.

    Parameters
    ----------
    distribution : str
    digest : str
        Of its RECORD; empty: any contents.
    """

    def change(table: Any) -> None:
        _without(table, "allowed", distribution)
        _list(table, "allowed").append(f"{distribution} {digest}".strip())

    return _edit(change)


def pin(name: str, distribution: str) -> Path:
    """Let a distribution provide a name; return the file."""

    def change(table: Any) -> None:
        if "pins" not in table:
            table["pins"] = tomlkit.inline_table()
        table["pins"][name] = distribution

    return _edit(change)


def unpin(name: str) -> Path:
    """Remove the pin of a name; return the file."""

    def change(table: Any) -> None:
        if name not in table.get("pins", {}):
            raise PluginError(f"{settings_path()} has no pin of {name!r}")
        del table["pins"][name]

    return _edit(change)


def _edit(change: Callable[[Any], object]) -> Path:
    """Change the table ``[plugins]`` and replace the file in one step."""
    path = settings_path()
    if path.exists() and not path.is_file():
        raise PluginError(f"the settings {path} are no file that can be changed")
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        text = ""
    try:
        document = tomlkit.parse(text)
    except TOMLKitError as error:
        raise PluginError(f"the settings {path} cannot be understood: {error}") from error
    table = document.setdefault("plugins", tomlkit.table())
    change(table)
    path.parent.mkdir(parents=True, exist_ok=True)
    # A link stays a link; what it leads to is replaced.
    _replace(path.resolve(), tomlkit.dumps(document))
    return path


def _replace(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old text or the new one, whole."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
        if path.exists():
            os.chmod(name, path.stat().st_mode & 0o777)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _list(table: Any, key: str) -> Any:
    if key not in table:
        table[key] = tomlkit.array()
    return table[key]


def _without(table: Any, key: str, distribution: str) -> None:
    """Remove a distribution, however it is spelled, from a list of them."""
    found = table.get(key, [])
    for place in reversed(range(len(found))):
        words = str(found[place]).split()
        if words and normalise(words[0]) == normalise(distribution):
            del found[place]
