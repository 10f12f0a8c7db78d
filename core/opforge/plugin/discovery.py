"""Discovery of installed plugins from the metadata of all distributions.

Group ``opforge`` names a distribution's plugin modules; ``opforge.ops``, ``opforge.layers`` and the
other groups of `op.registry.kinds` map names to classes. Nothing is imported and nothing written;
scanning 100 distributions takes a few milliseconds, so there is no cache on disk.
"""

import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..base.errors import PluginError
from ..op.registry.entry import CORE
from ..op.registry.kinds import KINDS
from ..op.registry.naming import is_distribution_name, normalise

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint, PackageMetadata

__all__ = ["COMMANDS", "GROUPS", "Provider", "discover", "provider_of", "scan"]

PLUGIN_GROUP = "opforge"
#: Name of a command -> ``module:attribute``; see `plugin.commands`.
COMMANDS = "opforge.commands"
#: Stands for what damaged metadata do not say.
_UNKNOWN = "unknown"
#: Noun -> entry point group.
GROUPS: dict[str, str] = {kind.noun: kind.group for kind in KINDS.values()}


@dataclass(frozen=True)
class Provider:
    """One distribution that provides operators, layers or things of other kinds.

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
    """

    name: str
    version: str
    modules: Mapping[str, str] = field(default_factory=dict)
    provides: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    commands: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The normalised name."""
        return normalise(self.name)

    def names(self, noun: str) -> list[str]:
        """Return the names of its things of one kind, sorted."""
        return sorted(self.provides.get(noun, {}))

    def has(self, noun: str, name: str) -> bool:
        """Tell whether it has a thing of this kind and name, as the kind compares names."""
        provided = self.provides.get(noun)
        if not provided:
            return False
        key = KINDS[noun].key
        return key(name) in map(key, provided)


def discover() -> dict[str, Provider]:
    """Return the providers that are installed, by normalised name and in that order."""
    return scan()[0]


def scan() -> tuple[dict[str, Provider], dict[str, str]]:
    """Read what is installed; one distribution that is damaged does not hide the others.

    Returns
    -------
    dict of str to Provider
        What `discover` returns.
    dict of str to str
        Folders of metadata that are passed over -> why.
    """
    # Here, because importing it takes longer than the rest of `import opforge`'s own modules.
    from importlib.metadata import distributions

    found: dict[str, Provider] = {}
    problems: dict[str, str] = {}
    for distribution in distributions(path=_places()):
        if not _may_be_plugin(distribution):
            continue
        try:
            provider = provider_of(distribution)
        except PluginError as error:
            problems[_place(distribution)] = str(error)
            continue
        if provider.modules or provider.commands or any(provider.provides.values()):
            # Python imports what comes first on its path.
            first = found.setdefault(provider.key, provider)
            if first.version != provider.version:
                problems[_place(distribution)] = (
                    f"{provider.name} {provider.version} is hidden by {first.version}, which "
                    "stands before it on sys.path"
                )
    return {key: found[key] for key in sorted(found)}, problems


def _places() -> list[str]:
    """Return `sys.path` without the working directory that Python itself puts there.

    What lies in a folder that somebody works in is not installed. Folders that the user names, in
    PYTHONPATH for instance, count.
    """
    places = [place for place in sys.path if place]  # "" is what -c and prompts have
    by_module = getattr(sys.modules.get("__main__"), "__spec__", None) is not None
    if by_module and not sys.flags.safe_path:  # python -m
        with suppress(ValueError, OSError):
            places.remove(os.getcwd())
    return places


#: What reading metadata may raise, whatever stands in it: Python's parsers trust their files.
_DAMAGED = (OSError, ValueError, TypeError, LookupError, AttributeError)


def _may_be_plugin(distribution: "Distribution") -> bool:
    """Tell whether entry points are worth parsing; most of what is installed has none for us."""
    try:
        return PLUGIN_GROUP in (distribution.read_text("entry_points.txt") or "")
    except _DAMAGED:
        return True  # parsing them says what is wrong


def _check_names(provider: Provider) -> None:
    """Refuse names that no honest plugin has; shells, terminals and pages would obey some."""
    if provider.name == _UNKNOWN:
        raise PluginError("its METADATA have no name")
    if not is_distribution_name(provider.name):
        raise PluginError(f"{provider.name!r} is no name of a distribution")
    tables = (provider.modules, provider.commands, *provider.provides.values())
    texts = [text for table in tables for pair in table.items() for text in pair]
    for text in (provider.version, *texts):
        if not text.isprintable():
            raise PluginError(f"{text!r} has characters that cannot be printed")
    if texts and provider.key == CORE:
        raise PluginError(f"a plugin cannot be called {provider.name}")


def _place(distribution: "Distribution") -> str:
    """Return where the metadata of a distribution stand, which may not say its name."""
    return ascii(str(getattr(distribution, "_path", distribution)))[1:-1]


def provider_of(distribution: "Distribution") -> Provider:
    """Return what one distribution provides, installed or in a wheel.

    Raises
    ------
    PluginError
        Its metadata are damaged, or have names that no plugin can have.
    """
    try:
        provider = _provider(_owner(distribution), distribution.entry_points)
    except _DAMAGED as error:
        why = f"its metadata cannot be read ({type(error).__name__}: {error})"
        raise PluginError(why) from error
    _check_names(provider)
    return provider


def _provider(owner: tuple[str, str], points: "Iterable[EntryPoint]") -> Provider:
    found: dict[str, dict[str, str]] = {}
    for point in points:
        found.setdefault(point.group, {})[point.name] = point.value
    return Provider(
        *owner,
        modules=dict(sorted(found.get(PLUGIN_GROUP, {}).items())),
        provides={noun: found.get(group, {}) for noun, group in GROUPS.items()},
        commands=found.get(COMMANDS, {}),
    )


def _owner(distribution: "Distribution") -> tuple[str, str]:
    """Return name and version of a distribution, even if it is damaged."""
    metadata = distribution.metadata
    return _field(metadata, "Name"), _field(metadata, "Version")


def _field(metadata: "PackageMetadata", key: str) -> str:
    """Return a field; asked for first, as a missing one will be a KeyError after Python 3.11."""
    if key not in metadata:
        return _UNKNOWN
    return metadata[key] or _UNKNOWN
