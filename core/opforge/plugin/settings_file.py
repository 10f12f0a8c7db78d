"""Edits of the settings file that preserve everything else in it, including comments."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from ..base.errors import PluginError
from ..base.files import replacing
from ..op.registry.naming import normalize
from .settings import settings_path

__all__ = ["allow", "disable", "enable", "pin", "unpin"]


def disable(distribution: str) -> Path:
    """Disable a distribution; return the path of the file."""

    def change(table: Any) -> None:
        _without(table, "disabled", distribution)
        _list(table, "disabled").append(distribution)

    return _edit(change)


def enable(distribution: str) -> Path:
    """Enable a distribution; return the path of the file."""
    return _edit(lambda table: _without(table, "disabled", distribution))


def allow(distribution: str, digest: str = "") -> Path:
    """Add a distribution to the allowlist; return the path of the file.

    Parameters
    ----------
    distribution : str
    digest : str
        Digest of its RECORD; empty for any contents.
    """

    def change(table: Any) -> None:
        _without(table, "allowed", distribution)
        _list(table, "allowed").append(f"{distribution} {digest}".strip())

    return _edit(change)


def pin(name: str, distribution: str) -> Path:
    """Pin a name to a distribution; return the path of the file."""

    def change(table: Any) -> None:
        if "pins" not in table:
            table["pins"] = tomlkit.inline_table()
        table["pins"][name] = distribution

    return _edit(change)


def unpin(name: str) -> Path:
    """Remove the pin of a name; return the path of the file."""

    def change(table: Any) -> None:
        if name not in table.get("pins", {}):
            raise PluginError(f"{settings_path()} has no pin for {name!r}")
        del table["pins"][name]

    return _edit(change)


def _edit(change: Callable[[Any], object]) -> Path:
    """Change the table ``[plugins]`` and replace the file in one step."""
    path = settings_path()
    if path.exists() and not path.is_file():
        raise PluginError(f"the settings in {path} cannot be changed: it is not a regular file")
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        text = ""
    try:
        document = tomlkit.parse(text)
    except TOMLKitError as error:
        raise PluginError(f"the settings in {path} are invalid: {error}") from error
    table = document.setdefault("plugins", tomlkit.table())
    change(table)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:  # a link stays a link; its target is replaced
        file.write(tomlkit.dumps(document).encode())
    return path


def _list(table: Any, key: str) -> Any:
    if key not in table:
        table[key] = tomlkit.array()
    return table[key]


def _without(table: Any, key: str, distribution: str) -> None:
    """Remove a distribution, in any spelling, from a list."""
    found = table.get(key, [])
    for index in reversed(range(len(found))):
        words = str(found[index]).split()
        if words and normalize(words[0]) == normalize(distribution):
            del found[index]
