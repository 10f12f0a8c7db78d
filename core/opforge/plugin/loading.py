"""Loading of a distribution's plugin, which registers all of its contributions or none.

The hooks are called once, here; afterwards, contributions are found in the registry. Only this
module and `hookspecs` import pluggy, and only when a plugin loads.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..base.errors import PluginError
from ..op.registry import registry
from ..op.registry.kinds import KINDS
from ..op.registry.table import TABLES
from .discovery import Provider
from .importing import import_object

__all__ = ["disagreements", "load_provider", "register_module"]

#: Kinds with separate hooks, whose contributions declare their own names.
_OWN_HOOKS = ("operator", "layer")


def load_provider(provider: Provider) -> None:
    """Import and register all contributions of `provider`.

    Raises
    ------
    PluginError
        It declares no plugin module, or violates the rules of registration.
    Exception
        Any exception of its own code; nothing is registered then.
    """
    if not provider.modules:
        if not any(provider.provides.values()):  # only commands, which need no registration
            return
        groups = [KINDS[noun].group for noun, names in provider.provides.items() if names]
        raise PluginError(
            f"{provider.name} {provider.version} has entry points in {' and '.join(groups)} but "
            "none in the group 'opforge', which names its plugin module"
        )
    with registry.transaction(independent=True):
        for value in provider.modules.values():
            register_module(value, provider.name, provider.version)


def register_module(value: str, provider: str, version: str) -> None:
    """Import a plugin module and register all that its hooks return.

    Parameters
    ----------
    value : str
        ``module`` or ``module:object``.
    provider, version : str
        Of the distribution.

    Raises
    ------
    PluginError
        It violates the rules of registration.
    Exception
        Any exception of its own code.
    """
    found = _collect(value)
    for prop_class in found.operators:
        registry.register_operator(prop_class, provider, version, "plugin")
    for layer_class in found.layers:
        registry.register_layer(layer_class, provider, version, "plugin")
    for noun, name, contribution in found.contributions:
        registry.register_contribution(noun, name, contribution, provider, version, "plugin")


def disagreements(provider: Provider) -> list[str]:
    """Return the differences between metadata and code of a loaded provider."""
    problems = []
    for noun, table in TABLES.items():
        declared = set(provider.names(noun))
        registered = {entry.name for entry in table.entries() if entry.provider == provider.name}
        for name in sorted(declared - registered):
            problems.append(
                f"metadata names the {noun} {name!r}, but the code does not register it"
            )
        for name in sorted(registered - declared):
            problems.append(
                f"the code registers the {noun} {name!r}, but its metadata does not name it, so "
                "that it is not found until another contribution of the plugin is used"
            )
    return problems


@dataclass
class _Found:
    """Results of the hooks of one plugin module."""

    operators: list[Any] = field(default_factory=list)
    layers: list[Any] = field(default_factory=list)
    contributions: list[tuple[str, str, Any]] = field(default_factory=list)


def _collect(value: str) -> _Found:
    """Import a plugin module and call its hooks."""
    import pluggy

    from . import hookspecs

    plugin = import_object(value)
    # A separate manager for each plugin isolates their hooks from each other's errors.
    manager = pluggy.PluginManager("opforge")
    manager.add_hookspecs(hookspecs)
    manager.register(plugin, name=value)
    manager.check_pending()
    if not manager.get_hookcallers(plugin):
        raise PluginError(
            f"{value} implements no hook of opforge; mark opforge_operators, opforge_layers or "
            "opforge_contributions with @opforge.plugin_api.hookimpl"
        )
    found = _Found()
    hook = manager.hook
    for answer in hook.opforge_operators():
        found.operators += _classes(value, "opforge_operators", answer)
    for answer in hook.opforge_layers():
        found.layers += _classes(value, "opforge_layers", answer)
    for answer in hook.opforge_contributions():
        found.contributions += _contributions(value, answer)
    return found


def _classes(value: str, hook: str, answer: Any) -> list[Any]:
    if not isinstance(answer, Iterable) or isinstance(answer, str):
        raise PluginError(f"{value}: {hook} returned {answer!r}, expected a list of classes")
    return list(answer)


def _contributions(value: str, answer: Any) -> list[tuple[str, str, Any]]:
    """Return the kind, name and object of each contribution that a hook returned."""
    nouns = [noun for noun in KINDS if noun not in _OWN_HOOKS]
    expected = "expected kind -> name -> object, for instance {'optimizer': {'AdaBelief': ...}}"
    if not isinstance(answer, Mapping):
        raise PluginError(f"{value}: opforge_contributions returned {answer!r}, {expected}")
    found = []
    for noun, contributions in answer.items():
        if noun not in nouns:
            raise PluginError(
                f"{value}: opforge_contributions returned the kind {noun!r}, "
                f"expected one of {', '.join(nouns)}"
            )
        if not isinstance(contributions, Mapping):
            raise PluginError(
                f"{value}: opforge_contributions returned {contributions!r}, {expected}"
            )
        found += [(noun, str(name), contribution) for name, contribution in contributions.items()]
    return found
