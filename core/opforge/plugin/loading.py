"""Registration of a distribution's contributions: by its entry points, and by hooks if it has them.

An entry point is imported and registered when its name is first used. Hooks are called once, before
that, and all that they return is registered, or none of it. Only this module and `hookspecs` import
pluggy, and only for a plugin with hooks.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from operator import attrgetter
from typing import Any

from ..base.errors import PluginError
from ..op.registry import registry
from ..op.registry.kinds import KINDS
from ..op.registry.table import TABLES
from .discovery import Provider
from .importing import import_object

__all__ = ["register_entry_point", "register_hooks", "undeclared", "unresolved"]

#: Kinds with separate hooks, whose contributions declare their own names.
_OWN_HOOKS = ("operator", "layer")


def register_hooks(provider: Provider) -> None:
    """Import the plugin modules of `provider` and register all that their hooks return, if any.

    Raises
    ------
    PluginError
        A hook violates the rules of registration.
    Exception
        Any exception of its own code; nothing is registered then.
    """
    owner = (provider.name, provider.version, "plugin")
    with registry.transaction():
        for value in provider.modules.values():
            plugin = import_object(value)
            found = _collect(plugin, value) if _has_hooks(plugin) else _Found()
            for prop_class in found.operators:
                registry.register_operator(prop_class, *owner)
            for layer_class in found.layers:
                registry.register_layer(layer_class, *owner)
            for noun, name, contribution in found.contributions:
                registry.register_contribution(noun, name, contribution, *owner)


def register_entry_point(provider: Provider, noun: str, name: str) -> None:
    """Import what an entry point of `provider` names, and register it.

    A module is registered by its import path, and imported on first use.

    Raises
    ------
    PluginError
        The object does not exist, is not of this kind, or has another name.
    Exception
        Any exception of its own code; nothing is registered then.
    """
    value = provider.provides[noun][name]
    is_path = KINDS[noun].is_module and ":" not in value
    found: Any = value if is_path else _resolve(noun, name, value)
    owner = (provider.name, provider.version, "plugin")
    with registry.transaction():
        if noun == "operator":
            registry.register_operator(found, *owner)
        elif noun == "layer":
            registry.register_layer(found, *owner)
        else:
            registry.register_contribution(noun, name, found, *owner)
        if provider.key not in TABLES[noun].providers(name):
            names = [found.name, *found.aliases] if noun == "operator" else [found.__name__]
            raise PluginError(
                f"{_describe(noun, name, value)}, whose name is {' or '.join(map(repr, names))}"
            )


def undeclared(provider: Provider) -> list[str]:
    """Return a problem for each registered name that the metadata of its provider lacks."""
    problems = []
    for noun, table in TABLES.items():
        registered = {entry.name for entry in table.entries() if entry.provider == provider.name}
        for name in sorted(registered - set(provider.names(noun))):
            problems.append(
                f"the code registers the {noun} {name!r}, but its metadata does not name it, so "
                "that it is not found until another contribution of the plugin is used"
            )
    return problems


def unresolved(provider: Provider) -> list[str]:
    """Return a problem for each entry point that does not name the registered object.

    Imports all of them, including modules.
    """
    problems = []
    for noun, provided in provider.provides.items():
        for name, value in provided.items():
            try:
                found = _resolve(noun, name, value)
            except (ImportError, PluginError) as error:
                problems.append(str(error))
                continue
            entries = [e for e in TABLES[noun].versions(name) if e.provider == provider.name]
            if entries and all(entry.contribution is not found for entry in entries):
                registered = entries[-1].object_name
                problems.append(
                    f"{_describe(noun, name, value)}, but a hook registers {registered}"
                )
    return problems


def _resolve(noun: str, name: str, value: str) -> Any:
    """Return the object that an entry point names."""
    module_name, _, path = (part.strip() for part in value.partition(":"))
    module = import_module(module_name)
    try:
        return attrgetter(path)(module) if path else module
    except AttributeError as error:
        raise PluginError(f"{_describe(noun, name, value)}, but {error}") from error


def _describe(noun: str, name: str, value: str) -> str:
    return f"entry point {name!r} in the group {KINDS[noun].group!r} names {value}"


@dataclass
class _Found:
    """Results of the hooks of one plugin module."""

    operators: list[Any] = field(default_factory=list)
    layers: list[Any] = field(default_factory=list)
    contributions: list[tuple[str, str, Any]] = field(default_factory=list)


def _has_hooks(plugin: Any) -> bool:
    """Return whether a plugin module marks any function as a hook, as pluggy determines it."""
    return any(hasattr(getattr(plugin, name, None), "opforge_impl") for name in dir(plugin))


def _collect(plugin: Any, value: str) -> _Found:
    """Call the hooks of a plugin module."""
    import pluggy

    from . import hookspecs

    # A separate manager for each plugin isolates their hooks from each other's errors.
    manager = pluggy.PluginManager("opforge")
    manager.add_hookspecs(hookspecs)
    manager.register(plugin, name=value)
    manager.check_pending()
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
