"""Discovery of installed plugins from the metadata of all distributions.

Group ``opforge`` names a distribution's plugin modules; ``opforge.ops``, ``opforge.layers`` and the
other groups of `op.registry.kinds` map names to classes. Discovery imports nothing and writes
nothing; scanning 100 distributions takes a few milliseconds, so there is no cache on disk.
"""

import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from ..base.errors import PluginError
from ..op.registry.entry import CORE
from ..op.registry.kinds import KINDS
from ..op.registry.naming import is_distribution_name, normalize
from .metadata_folder import MetadataFolder, distributions

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint, PackageMetadata

__all__ = ["COMMANDS", "GROUPS", "Provider", "discover", "provider_of", "scan"]

PLUGIN_GROUP = "opforge"
#: Name of a command -> ``module:attribute``; see `plugin.commands`.
COMMANDS = "opforge.commands"
#: Name of a table -> ``module:object``; see `plugin.aliases`.
ALIASES = "opforge.aliases"
#: Value of a field that is missing in damaged metadata.
_UNKNOWN = "unknown"
#: Noun -> entry point group.
GROUPS: dict[str, str] = {kind.noun: kind.group for kind in KINDS.values()}


@dataclass(frozen=True)
class Provider:
    """Distribution that provides operators, layers or other contributions.

    Parameters
    ----------
    name, version : str
        Of the distribution.
    modules : mapping of str to str
        Plugin name -> ``module`` or ``module:object``.
    provides : mapping of str to mapping of str to str
        Noun of each kind -> name -> ``module:object``.
    commands : mapping of str to str
        Name of a command of ``opforge`` -> ``module:attribute``.
    aliases : mapping of str to str
        Name of a table of names that it adds to modules of opforge -> ``module:object``.
    folder : str
        Its metadata folder; empty if unknown, for instance in a wheel.
    """

    name: str
    version: str
    modules: Mapping[str, str] = field(default_factory=dict)
    provides: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    commands: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    folder: str = field(default="", compare=False)

    @cached_property
    def key(self) -> str:
        """The normalized name."""
        return normalize(self.name)

    def names(self, noun: str) -> list[str]:
        """Return the sorted names of its contributions of one kind."""
        return sorted(self.provides.get(noun, {}))

    def contributions(self) -> list[tuple[str, str]]:
        """Return the noun and name of each contribution."""
        return [(noun, name) for noun, provided in self.provides.items() for name in provided]

    def has(self, noun: str, name: str) -> bool:
        """Return whether it has a contribution of this kind and name."""
        return bool(self.declared_name(noun, name))

    def declared_name(self, noun: str, name: str) -> str:
        """Return the name of a contribution as in the metadata; empty if it has none.

        Names of some kinds are case-insensitive.
        """
        provided = self.provides.get(noun)
        if not provided:
            return ""
        kind = KINDS[noun]
        if not kind.folded:
            return name if name in provided else ""
        return next((known for known in provided if kind.key(known) == kind.key(name)), "")


def discover() -> dict[str, Provider]:
    """Return the installed providers by normalized name, sorted."""
    return scan()[0]


def scan() -> tuple[dict[str, Provider], dict[str, str]]:
    """Read the metadata of all distributions; damaged ones do not affect the others.

    Returns
    -------
    dict of str to Provider
        As from `discover`.
    dict of str to str
        Metadata folder that is skipped -> reason.
    """
    found: dict[str, Provider] = {}
    problems: dict[str, str] = {}
    for distribution in distributions(_search_path()):
        if not _may_be_plugin(distribution):
            continue
        try:
            provider = provider_of(distribution)
        except PluginError as error:
            problems[_location(distribution)] = str(error)
            continue
        if _provides_anything(provider):
            # Python imports the first one on its path.
            first = found.setdefault(provider.key, provider)
            if first.version != provider.version:
                problems[_location(distribution)] = (
                    f"{provider.name} {provider.version} is hidden by {first.version}, which "
                    "precedes it on sys.path"
                )
    return {key: found[key] for key in sorted(found)}, problems


def _provides_anything(provider: Provider) -> bool:
    named = (provider.modules, provider.commands, provider.aliases)
    return any(named) or any(provider.provides.values())


def _search_path() -> list[str]:
    """Return `sys.path` without the working directory that Python itself adds.

    Packages in the working directory are not installed. Folders that the user adds, for instance
    with PYTHONPATH, are included.
    """
    folders = [folder for folder in sys.path if folder]  # "" is the entry of -c and prompts
    by_module = getattr(sys.modules.get("__main__"), "__spec__", None) is not None
    if by_module and not sys.flags.safe_path:  # python -m
        with suppress(ValueError, OSError):
            folders.remove(os.getcwd())
    return folders


#: Exceptions that reading damaged metadata may raise: Python's parsers trust their files.
_DAMAGED = (OSError, ValueError, TypeError, LookupError, AttributeError)


def _may_be_plugin(distribution: "MetadataFolder | Distribution") -> bool:
    """Return whether entry points need parsing; most distributions have none for opforge."""
    try:
        return PLUGIN_GROUP in (distribution.read_text("entry_points.txt") or "")
    except _DAMAGED:
        return True  # parsing them reports the problem


def _check_names(provider: Provider) -> None:
    """Reject names that could be interpreted by shells, terminals or HTML pages."""
    if provider.name == _UNKNOWN:
        raise PluginError("its METADATA has no name")
    if not is_distribution_name(provider.name):
        raise PluginError(f"{provider.name!r} is not a valid distribution name")
    tables = (provider.modules, provider.commands, provider.aliases, *provider.provides.values())
    texts = [text for table in tables for pair in table.items() for text in pair]
    for text in (provider.version, *texts):
        if not text.isprintable():
            raise PluginError(f"{text!r} contains characters that are not printable")
    if texts and provider.key == CORE:
        raise PluginError(f"a plugin cannot be named {provider.name}")


def _location(distribution: "MetadataFolder | Distribution") -> str:
    """Return the metadata folder of a distribution, whose name may be missing."""
    return ascii(str(getattr(distribution, "_path", distribution)))[1:-1]


def provider_of(distribution: "MetadataFolder | Distribution") -> Provider:
    """Return what a distribution provides, whether installed or in a wheel.

    Raises
    ------
    PluginError
        Its metadata is damaged or contains invalid names.
    """
    try:
        folder = str(distribution) if isinstance(distribution, MetadataFolder) else ""
        provider = _provider(_owner(distribution), distribution.entry_points, folder)
    except _DAMAGED as error:
        why = f"its metadata cannot be read ({type(error).__name__}: {error})"
        raise PluginError(why) from error
    _check_names(provider)
    return provider


def _provider(owner: tuple[str, str], points: "Iterable[EntryPoint]", folder: str) -> Provider:
    found: dict[str, dict[str, str]] = {}
    for point in points:
        found.setdefault(point.group, {})[point.name] = point.value
    return Provider(
        *owner,
        modules=dict(sorted(found.get(PLUGIN_GROUP, {}).items())),
        provides={noun: found.get(group, {}) for noun, group in GROUPS.items()},
        commands=found.get(COMMANDS, {}),
        aliases=found.get(ALIASES, {}),
        folder=folder,
    )


def _owner(distribution: "MetadataFolder | Distribution") -> tuple[str, str]:
    """Return the name and version of a distribution, even if it is damaged."""
    metadata = distribution.metadata
    return _field(metadata, "Name"), _field(metadata, "Version")


def _field(metadata: "Mapping[str, str] | PackageMetadata", key: str) -> str:
    """Return a field; checked first, because a missing one is a KeyError after Python 3.11."""
    if key not in metadata:
        return _UNKNOWN
    return metadata[key] or _UNKNOWN
