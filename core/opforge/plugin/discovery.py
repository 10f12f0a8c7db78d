"""What is installed: the plugins of all distributions, read from metadata alone.

Groups: ``opforge`` names a distribution's plugin modules, ``opforge.ops`` and ``opforge.layers``
map the names of operators and layers to their classes. Nothing is imported and nothing written;
scanning 100 distributions takes a few milliseconds, so there is no cache on disk.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..op.naming import normalise

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, PackageMetadata

__all__ = ["GROUPS", "Provider", "discover"]

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
    found: dict[str, dict[str, dict[str, str]]] = {}
    owners: dict[str, tuple[str, str]] = {}
    for group in (PLUGIN_GROUP, *GROUPS.values()):
        for point in points.select(group=group):
            name, version = _owner(point)
            key = normalise(name)
            owners.setdefault(key, (name, version))
            found.setdefault(key, {}).setdefault(group, {})[point.name] = point.value
    return {
        key: Provider(
            *owners[key],
            modules=dict(sorted(found[key].get(PLUGIN_GROUP, {}).items())),
            provides={noun: found[key].get(group, {}) for noun, group in GROUPS.items()},
        )
        for key in sorted(found)
    }


def _owner(point: "EntryPoint") -> tuple[str, str]:
    """Return name and version of the distribution of an entry point, even if it is damaged."""
    distribution = point.dist
    if distribution is None:
        return "unknown", "unknown"
    metadata = distribution.metadata
    return _field(metadata, "Name"), _field(metadata, "Version")


def _field(metadata: "PackageMetadata", key: str) -> str:
    """Return a field; asked for first, as a missing one will be a KeyError after Python 3.11."""
    if key not in metadata:
        return "unknown"
    return metadata[key] or "unknown"
