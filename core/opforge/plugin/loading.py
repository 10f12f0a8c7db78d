"""Loading of one distribution's plugin: all of it is registered, or nothing.

The hooks are called once here and never again; operators are then found in the registry. Only
this module and `hookspecs` import pluggy, and only when a plugin loads.
"""

from collections.abc import Iterable
from importlib import import_module
from operator import attrgetter
from typing import Any

from ..base.errors import PluginError
from ..op import registry
from .discovery import Provider

__all__ = ["disagreements", "load_provider"]


def load_provider(provider: Provider) -> None:
    """Import and register everything that `provider` brings.

    Raises
    ------
    PluginError
        It declares no plugin module, or breaks the rules of registration.
    Exception
        Whatever its own code raises; nothing stays registered then.
    """
    if not provider.modules:
        raise PluginError(
            f"{provider.name} {provider.version} has entry points in opforge.ops or "
            "opforge.layers but none in the group 'opforge', which names its plugin module"
        )
    with registry.transaction(independent=True):
        for value in provider.modules.values():
            operators, layers = _collect(value)
            for prop_class in operators:
                registry.register_operator(
                    prop_class, provider.name, provider.version, kind="plugin"
                )
            for layer_class in layers:
                registry.register_layer(layer_class, provider.name, provider.version, "plugin")


def disagreements(provider: Provider) -> list[str]:
    """Return where a loaded provider's metadata and code name different things."""
    problems = []
    for noun, table in (("operator", registry.OPERATORS), ("layer", registry.LAYERS)):
        declared = set(provider.names(noun))
        registered = {entry.name for entry in table.entries() if entry.provider == provider.name}
        for name in sorted(declared - registered):
            problems.append(
                f"metadata names the {noun} {name!r}, but the code does not register it"
            )
        for name in sorted(registered - declared):
            problems.append(
                f"the code registers the {noun} {name!r}, but its metadata does not name it, so "
                "that it is not found before another one of the plugin was used"
            )
    return problems


def _collect(value: str) -> tuple[list[Any], list[Any]]:
    """Import a plugin module and call its hooks; return its declarations and layer classes."""
    import pluggy

    from . import hookspecs

    plugin = _import(value)
    # A manager for each plugin: one plugin's mistake cannot reach the hooks of another.
    manager = pluggy.PluginManager("opforge")
    manager.add_hookspecs(hookspecs)
    manager.register(plugin, name=value)
    manager.check_pending()
    results = []
    if not manager.get_hookcallers(plugin):
        raise PluginError(
            f"{value} implements no hook of opforge; mark opforge_operators or opforge_layers "
            "with @opforge.plugin_api.hookimpl"
        )
    for hook in (manager.hook.opforge_operators, manager.hook.opforge_layers):
        classes: list[Any] = []
        for answer in hook():
            if not isinstance(answer, Iterable) or isinstance(answer, str):
                raise PluginError(
                    f"{value}: {hook.name} returned {answer!r}, expected a list of classes"
                )
            classes.extend(answer)
        results.append(classes)
    return results[0], results[1]


def _import(value: str) -> Any:
    """Return what an entry point's value names, ``module`` or ``module:object``."""
    module_name, _, path = value.partition(":")
    module = import_module(module_name.strip())
    return attrgetter(path.strip())(module) if path else module
