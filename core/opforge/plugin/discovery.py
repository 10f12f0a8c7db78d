"""What is installed: the plugins of all distributions, read from metadata alone.

Groups: ``opforge`` names a distribution's plugin modules, ``opforge.ops`` and ``opforge.layers``
map the names of operators and layers to their classes. Nothing is imported and nothing written;
scanning 100 distributions takes a few milliseconds, so there is no cache on disk.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..op.naming import normalise

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint, PackageMetadata

__all__ = ["GROUPS", "Provider", "discover", "provider_of"]

PLUGIN_GROUP = "opforge"
GROUPS: dict[str, str] = {"operator": "opforge.ops", "layer": "opforge.layers"}


@dataclass(frozen=True)
class Provider:
    """One distribution that provides operators or layers.

    Parameters
    ----------
    name, version : str
        Of the distribution.
    modules : mapping of str to str
        Plugin name -> ``module`` or ``module:object``.
    provides : mapping of str to mapping of str to str
        ``"operator"`` and ``"layer"`` -> name -> ``module:class``.
    """

    name: str
    version: str
    modules: Mapping[str, str] = field(default_factory=dict)
    provides: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The normalised name."""
        return normalise(self.name)

    def names(self, noun: str) -> list[str]:
        """Return the names of its operators or layers, sorted."""
        return sorted(self.provides.get(noun, {}))


def discover() -> dict[str, Provider]:
    """Return the providers that are installed, by normalised name and in that order."""
    # Here, because importing it takes longer than the rest of `import opforge`'s own modules.
    from importlib.metadata import entry_points

    points = entry_points()
    owned: dict[str, list[EntryPoint]] = {}
    owners: dict[str, tuple[str, str]] = {}
    for group in (PLUGIN_GROUP, *GROUPS.values()):
        for point in points.select(group=group):
            owner = _owner(point.dist)
            key = normalise(owner[0])
            owners.setdefault(key, owner)
            owned.setdefault(key, []).append(point)
    return {key: _provider(owners[key], owned[key]) for key in sorted(owned)}


def provider_of(distribution: "Distribution") -> Provider:
    """Return what one distribution provides, installed or in a wheel."""
    return _provider(_owner(distribution), distribution.entry_points)


def _provider(owner: tuple[str, str], points: "Iterable[EntryPoint]") -> Provider:
    found: dict[str, dict[str, str]] = {}
    for point in points:
        found.setdefault(point.group, {})[point.name] = point.value
    return Provider(
        *owner,
        modules=dict(sorted(found.get(PLUGIN_GROUP, {}).items())),
        provides={noun: found.get(group, {}) for noun, group in GROUPS.items()},
    )


def _owner(distribution: "Distribution | None") -> tuple[str, str]:
    """Return name and version of a distribution, even if it is damaged."""
    if distribution is None:
        return "unknown", "unknown"
    metadata = distribution.metadata
    return _field(metadata, "Name"), _field(metadata, "Version")


def _field(metadata: "PackageMetadata", key: str) -> str:
    """Return a field; asked for first, as a missing one will be a KeyError after Python 3.11."""
    if key not in metadata:
        return "unknown"
    return metadata[key] or "unknown"
