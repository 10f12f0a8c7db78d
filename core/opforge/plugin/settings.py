"""The user's plugin settings: the table ``[plugins]`` of ``opforge.toml``.

The file is the one that `OPFORGE_CONFIG` names, or else ``opforge/opforge.toml`` in the user's
configuration folder. The working directory is never searched: files of another user must not decide
which code runs. An invalid file is an error rather than ignored, since it may disable a plugin.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..base import config
from ..base.errors import PluginError
from ..base.spelling import close_names
from ..op.registry.naming import normalize

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Settings", "read_settings", "settings_path"]

_ALLOWED = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)( +(?P<hash>sha256:[0-9a-f]{64}))?")
_MODES = ("all", "allowlist")


@dataclass(frozen=True)
class Settings:
    """Contents of the table ``[plugins]``.

    Parameters
    ----------
    path : str
        The file; empty if it does not exist.
    disabled : frozenset of str
        Normalized names of distributions.
    pins : mapping of str to str
        Name -> distribution that provides it.
    mode : {"all", "allowlist"}
    allowed : mapping of str to str
        Normalized distribution -> digest of its RECORD, or an empty string for any contents; used
        if `mode` is "allowlist".
    """

    path: str = ""
    disabled: frozenset[str] = frozenset()
    pins: Mapping[str, str] = field(default_factory=dict)
    mode: str = "all"
    allowed: Mapping[str, str] = field(default_factory=dict)


def settings_path() -> "Path":
    """Return the path of the settings file, which need not exist."""
    from pathlib import Path  # takes milliseconds to import, and is needed for no array

    return Path(_location())


def _location() -> str:
    chosen = config.get("OPFORGE_CONFIG")
    if chosen:
        return os.path.expanduser(chosen)
    folder = os.environ.get("XDG_CONFIG_HOME", "")
    # The specification requires ignoring relative paths.
    base = folder if os.path.isabs(folder) else os.path.expanduser("~/.config")
    return os.path.join(base, "opforge", "opforge.toml")


def read_settings() -> Settings:
    """Read the settings.

    Raises
    ------
    PluginError
        The file is unreadable or invalid, or `OPFORGE_CONFIG` names a missing file.
    """
    path = _location()
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        if config.get("OPFORGE_CONFIG"):
            raise PluginError(
                f"OPFORGE_CONFIG names {path}, which does not exist; create it, or unset the "
                "variable"
            ) from None
        return Settings()
    except (OSError, ValueError) as error:
        raise PluginError(f"the settings in {path} cannot be read: {error}") from error
    # Imported here, because programs without settings do not need the parser.
    import tomllib

    try:
        return _parse_settings(tomllib.loads(text), path)
    except ValueError as error:
        raise PluginError(f"the settings in {path} are invalid: {error}") from error


def _parse_settings(document: Mapping[str, Any], path: str) -> Settings:
    table = document.get("plugins", {})
    if not isinstance(table, dict):
        raise ValueError(f"plugins is {table!r}, expected a table: [plugins]")
    known = ("disabled", "pins", "mode", "allowed")
    for key in table:
        if key not in known:
            close = close_names(key, known, count=1)
            hint = f"; did you mean {close[0]}?" if close else f"; expected {', '.join(known)}"
            raise ValueError(f"[plugins] has the unknown key {key!r}{hint}")
    mode = table.get("mode", "all")
    if mode not in _MODES:
        raise ValueError(f"plugins.mode is {mode!r}, expected one of {', '.join(_MODES)}")
    return Settings(
        path,
        frozenset(normalize(name) for name in _names(table, "disabled")),
        _pins(table.get("pins", {})),
        mode,
        dict(_parse_allowed(text) for text in _names(table, "allowed")),
    )


def _names(table: Mapping[str, Any], key: str) -> list[str]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f'plugins.{key} is {value!r}, expected a list of names: {key} = ["acme"]')
    return value


def _pins(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise ValueError(
            f'plugins.pins is {value!r}, expected a table of names: pins = {{softmax = "acme"}}'
        )
    return value


def _parse_allowed(text: str) -> tuple[str, str]:
    match = _ALLOWED.fullmatch(text.strip())
    if match is None:
        raise ValueError(
            f"plugins.allowed has {text!r}, expected a distribution, or one and the digest that "
            "`opforge plugins verify` prints: acme-ops sha256:0123..."
        )
    return normalize(match["name"]), match["hash"] or ""
