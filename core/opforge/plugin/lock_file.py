"""Lock file: versions and contents of the installed plugins, as `opforge lock` writes them.

The digest is that of a distribution's RECORD, as in the allowlist of the settings: nothing is
downloaded. Reading a file runs none of its content; names are validated because messages put them
into commands that users paste into a shell.
"""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ..base.errors import PluginError
from ..op.registry.naming import is_distribution_name, is_version, normalize

__all__ = ["FORMAT", "LOCK_NAME", "LockedPlugin", "difference", "lock_text", "read_lock"]

#: Name of the file in a project, and version of its format.
LOCK_NAME, FORMAT = "opforge.lock", 1
#: Far above the size of any valid file.
_MOST_BYTES = 4 << 20
_RECORD = re.compile(r"(sha256:[0-9a-f]{64})?")
_HEAD = """\
# Plugins of an installation, written by `opforge lock`.
# `opforge lock check` compares them with those installed.
"""


@dataclass(frozen=True)
class LockedPlugin:
    """One plugin.

    Parameters
    ----------
    name, version : str
        Of the distribution.
    record : str
        ``sha256:`` and the digest of its RECORD; empty for an editable installation, whose contents
        are not locked.
    abi : str
        Version of opforge's C interface that its native operators were built for; empty if it has
        none.
    instruction_sets : tuple of str
        Those that its native modules were built for.
    """

    name: str
    version: str
    record: str = ""
    abi: str = ""
    instruction_sets: tuple[str, ...] = ()


def lock_text(plugins: Iterable[LockedPlugin]) -> str:
    """Return the contents of a lock file.

    Examples
    --------
    >>> print(*lock_text([LockedPlugin("acme-ops", "1.0")]).splitlines()[-4:], sep=" | ")
    [[plugin]] | name = "acme-ops" | version = "1.0" | record = ""
    """
    import tomlkit

    document = tomlkit.document()
    document["format"] = FORMAT
    tables = tomlkit.aot()
    for plugin in sorted(plugins, key=lambda each: normalize(each.name)):
        row = asdict(plugin)
        row["instruction_sets"] = list(plugin.instruction_sets)
        optional = ("abi", "instruction_sets")
        tables.append(
            tomlkit.item({key: row[key] for key in row if row[key] or key not in optional})
        )
    document["plugin"] = tables
    return _HEAD + tomlkit.dumps(document)


def read_lock(path: str | os.PathLike[str]) -> dict[str, LockedPlugin]:
    """Return the plugins of a lock file by normalized name.

    Raises
    ------
    PluginError
        The file cannot be read, or is not a lock file.
    """
    try:
        with open(path, "rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise ValueError(f"it has more than {_MOST_BYTES} bytes")
        # Imported here, because most programs have no lock file.
        import tomllib

        return _parse(tomllib.loads(content.decode("utf-8")))
    except (OSError, ValueError, RecursionError) as error:
        raise PluginError(
            f"the lock file {os.fspath(path)} cannot be read: {error}; `opforge lock` writes one"
        ) from error


def difference(locked: LockedPlugin | None) -> str:
    """Return how an installed plugin differs from a lock file's entry; empty if it does not.

    Without an entry, it is not in the file.
    """
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import distribution as find

    from .record import other_contents

    if locked is None:
        return "not in the lock file"
    try:
        installed = find(locked.name)
    except PackageNotFoundError:
        return "not installed"
    if installed.version != locked.version:
        return f"version {installed.version} is installed, {locked.version} is locked"
    return other_contents(installed, locked.record, "locked") if locked.record else ""


def _parse(document: Mapping[str, Any]) -> dict[str, LockedPlugin]:
    if document.get("format") != FORMAT:
        raise ValueError(f"format is {document.get('format')!r:.40}, expected {FORMAT}")
    rows = document.get("plugin", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"plugin is {rows!r:.60}, expected tables: [[plugin]]")
    found: dict[str, LockedPlugin] = {}
    for row in rows:
        plugin = _plugin(row)
        if found.setdefault(normalize(plugin.name), plugin) is not plugin:
            raise ValueError(f"{plugin.name} has two entries")
    return found


def _plugin(row: Mapping[str, Any]) -> LockedPlugin:
    # Ignore keys of later versions of opforge.
    known = {key: row[key] for key in LockedPlugin.__dataclass_fields__ if key in row}
    sets = known.pop("instruction_sets", [])
    texts = (*known.values(), *(sets if isinstance(sets, list) else [None]))
    if not all(isinstance(text, str) for text in texts):
        raise ValueError(f"an entry is {row!r:.80}, expected strings")
    plugin = LockedPlugin(**{"name": "", "version": "", **known}, instruction_sets=tuple(sets))
    for key, right in (
        ("name", is_distribution_name(plugin.name)),
        ("version", is_version(plugin.version)),
        ("record", _RECORD.fullmatch(plugin.record)),
    ):
        if not right:
            raise ValueError(f"an entry has the {key} {getattr(plugin, key)!r:.60}")
    return plugin
