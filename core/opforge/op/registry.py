"""The one registry: which class declares an operator, or is a layer, and who provides it.

`lookup` settles a short name as `decision` says, and takes the newest version of the operator that
its provider has. Providers that are installed but not loaded come from a resolver that `plugin`
sets, so nothing here imports a plugin.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Protocol

from ..base.errors import OperatorNotFoundError, PluginError
from .decision import Decision, decide
from .declaration import OperatorProp
from .entry import CORE, Entry
from .journal import note, temporary, transaction
from .missing import ambiguous_error, not_found_error, pinned_error, version_error
from .naming import FullName, normalise, pins, split_full_name
from .preference import preferred

__all__ = [
    "LAYERS",
    "OPERATORS",
    "Entry",
    "Registry",
    "Resolver",
    "custom_names",
    "explain",
    "lookup",
    "lookup_custom",
    "lookup_layer",
    "names",
    "register_custom",
    "register_layer",
    "register_operator",
    "set_resolver",
    "temporary",
    "transaction",
]


class Resolver(Protocol):
    """What `plugin` tells the registry about distributions that are not loaded."""

    def providers(self, noun: str, name: str) -> Iterable[str]:
        """Return the enabled distributions whose metadata name an operator or layer."""

    def names(self, noun: str) -> Iterable[str]:
        """Return all such names."""

    def pins(self) -> Mapping[str, str]:
        """Return the distribution that is to provide each pinned name."""

    def load(self, provider: str) -> None:
        """Load a distribution's plugin; a failure is recorded, or raised in strict mode."""

    def report(self, noun: str, name: str) -> str:
        """Return what is wrong with installed plugins, for the error about `name`."""


class Registry:
    """Names of one kind of thing, ``"operator"`` or ``"layer"``, each with its providers."""

    def __init__(self, noun: str) -> None:
        self.noun = noun
        # Name -> normalised distribution -> its versions of the operator, the oldest first.
        self._table: dict[str, dict[str, tuple[Entry, ...]]] = {}
        # By the name as it was asked for and what is preferred in that place.
        self._settled: dict[tuple[str, tuple[str, ...]], Entry] = {}

    def add(self, entry: Entry) -> None:
        """Register `entry`; its provider may not have the name in this version already.

        Raises
        ------
        PluginError
            Another class of the same provider has this name and version.
        """
        key = normalise(entry.provider)
        previous = self._table.get(entry.name, {}).get(key, ())
        same = [e for e in previous if e.operator_version == entry.operator_version]
        if same and same[0].prop_class is not entry.prop_class:
            raise PluginError(
                f"{self.noun} {entry.name!r} is registered twice by {entry.provider}: "
                f"{_class_name(same[0])} and {_class_name(entry)}; rename one, or give one "
                "another version"
            )
        note(lambda: self._put(entry.name, key, previous))
        others = [e for e in previous if e not in same]
        versions = sorted([*others, entry], key=lambda e: e.operator_version)
        self._put(entry.name, key, tuple(versions))

    def lookup(self, name: str) -> Entry:
        """Return the entry that a name stands for, short or ``distribution::name@version``.

        Raises
        ------
        OperatorNotFoundError
            Nobody provides it, or not in this version.
        AmbiguousOperatorError
            Several do and no pin decides.
        PluginError
            A pin names a distribution that does not provide it.
        """
        key = (name, preferred())
        entry = self._settled.get(key)
        if entry is None:
            entry = self._settle(split_full_name(name))
            self._settled[key] = entry
        return entry

    def explain(self, name: str) -> Decision:
        """Return who is to provide a name and why; loads nothing."""
        return self._decide(split_full_name(name))

    def providers(self, name: str) -> dict[str, Entry]:
        """Return the newest entry of `name` by normalised distribution; loads nothing."""
        return {key: entries[-1] for key, entries in self._table.get(name, {}).items()}

    def versions(self, name: str) -> list[Entry]:
        """Return all registered entries of `name`, the oldest of each provider first."""
        return [entry for entries in self._table.get(name, {}).values() for entry in entries]

    def entries(self) -> list[Entry]:
        """Return all registered entries, sorted by name and provider; loads nothing."""
        rows = [entry for name in [*self._table] for entry in self.versions(name)]
        return sorted(rows, key=lambda e: (e.name, e.provider, e.operator_version))

    def names(self) -> list[str]:
        """Return all names, those of plugins that are not loaded included."""
        known = set(self._table)
        if _resolver is not None:
            known.update(_resolver.names(self.noun))
        return sorted(known)

    def forget_decisions(self) -> None:
        """Settle every name anew, after pins or the installed plugins changed."""
        self._settled.clear()

    def _put(self, name: str, key: str, entries: tuple[Entry, ...]) -> None:
        """Set what one provider has under `name`; readers see the old dict or the new."""
        providers = dict(self._table.get(name, {}))
        providers.pop(key, None)
        if entries:
            providers[key] = entries
        if providers:
            self._table[name] = providers
        else:
            self._table.pop(name, None)
        self._settled.clear()

    def _decide(self, name: FullName) -> Decision:
        # Where the core has a name, metadata is read only if a pin or a preference asks for it.
        known = self._table.get(name.name, {})
        pin = None if name.provider else _pins().get(name.name)
        return decide(name, CORE in known, lambda: self._candidates(name.name), preferred(), pin)

    def _candidates(self, name: str) -> dict[str, str]:
        """Return the enabled distributions that have a name, by normalised name."""
        installed = _resolver.providers(self.noun, name) if _resolver is not None else ()
        found = {normalise(text): text for text in installed}
        found.update({key: e.provider for key, e in self.providers(name).items()})
        return found

    def _settle(self, name: FullName) -> Entry:
        decision = self._decide(name)
        if decision.reason == "ambiguous":
            raise ambiguous_error(self.noun, name.name, decision.candidates)
        if decision.reason == "not a provider":
            raise pinned_error(
                self.noun, name, decision.provider, decision.candidates, self._report(name.name)
            )
        if decision.reason == "not installed":
            raise self._not_found(name.name)
        return self._load(name, decision.provider)

    def _load(self, name: FullName, provider: str) -> Entry:
        """Return the entry of one provider, loading it if need be."""
        key = normalise(provider)
        if key not in self._table.get(name.name, {}) and _resolver is not None:
            _resolver.load(provider)
        entries = self._table.get(name.name, {}).get(key)
        if not entries:
            raise self._not_found(name.name)
        if name.version is None:
            return entries[-1]
        for entry in entries:
            if entry.operator_version == name.version:
                return entry
        raise version_error(self.noun, name, entries)

    def _report(self, name: str) -> str:
        return _resolver.report(self.noun, name) if _resolver is not None else ""

    def _not_found(self, name: str) -> OperatorNotFoundError:
        return not_found_error(self.noun, name, self.names(), self._report(name))


OPERATORS = Registry("operator")
LAYERS = Registry("layer")
_custom: dict[str, Entry] = {}
_resolver: Resolver | None = None


def set_resolver(resolver: Resolver | None) -> None:
    """Set who is asked for names that no loaded provider has; None: nobody."""
    global _resolver
    _resolver = resolver
    OPERATORS.forget_decisions()
    LAYERS.forget_decisions()


def register_operator(
    prop_class: type[OperatorProp], provider: str = CORE, version: str = "", kind: str = "std"
) -> Entry:
    """Register a declaration under its name and its aliases.

    Raises
    ------
    PluginError
        It is no named `OperatorProp`, or the provider has another operator of that name.
    """
    if not (isinstance(prop_class, type) and issubclass(prop_class, OperatorProp)):
        raise PluginError(f"{prop_class!r} is no operator declaration; derive from OperatorProp")
    if not prop_class.name:
        raise PluginError(f"{prop_class.__qualname__} has no name; set name = 'my_operator'")
    entry = Entry(prop_class.name, prop_class, provider, version, kind)
    with transaction():
        for name in (entry.name, *prop_class.aliases):
            OPERATORS.add(replace(entry, name=name))
    return entry


def register_layer(
    layer_class: type, provider: str = CORE, version: str = "", kind: str = "std"
) -> Entry:
    """Register a layer class under its own name."""
    if not isinstance(layer_class, type):
        raise PluginError(f"{layer_class!r} is no layer class")
    entry = Entry(layer_class.__name__, layer_class, provider, version, kind)
    LAYERS.add(entry)
    return entry


def register_custom(name: str, prop_class: type) -> Entry:
    """Register a Prop class for `nd.Custom`; the last one under a name is used, as in MXNet."""
    entry = Entry(name, prop_class)
    previous = _custom.get(name)
    note(lambda: _set_custom(name, previous))
    _set_custom(name, entry)
    # A typed declaration also answers to nd.<name> while nobody else has the name.
    OPERATORS.forget_decisions()
    return entry


def lookup(name: str) -> Entry:
    """Return the operator of this name; see `Registry.lookup`.

    A typed declaration that the program registered is found where no other operator has the name.
    """
    try:
        return OPERATORS.lookup(name)
    except OperatorNotFoundError:
        entry = _custom.get(name)
        if entry is None or not _is_typed(entry):
            raise
        return entry


def explain(name: str) -> Decision:
    """Return which operator `lookup` finds under a name and why; loads nothing."""
    decision = OPERATORS.explain(name)
    if decision.reason == "not installed" and _is_typed(_custom.get(name)):
        return Decision(decision.name, "program")
    return decision


def lookup_custom(op_type: str) -> Entry:
    """Return what ``nd.Custom(..., op_type=...)`` runs: the program's own first, then the rest."""
    entry = _custom.get(op_type)
    if entry is not None:
        return entry
    try:
        return OPERATORS.lookup(op_type)
    except OperatorNotFoundError as error:
        known = [*_custom, *OPERATORS.names()]
        raise not_found_error("custom operator", op_type, known, _report(op_type)) from error


def lookup_layer(name: str) -> Entry:
    """Return the layer of this name; see `Registry.lookup`."""
    return LAYERS.lookup(name)


def names() -> list[str]:
    """Return the names of all operators, those of plugins that are not loaded included."""
    return OPERATORS.names()


def custom_names() -> list[str]:
    """Return the names that the program itself registered, sorted."""
    return sorted(_custom)


def _set_custom(name: str, entry: Entry | None) -> None:
    if entry is None:
        _custom.pop(name, None)
    else:
        _custom[name] = entry


def _is_typed(entry: Entry | None) -> bool:
    return entry is not None and issubclass(entry.prop_class, OperatorProp)


def _pins() -> Mapping[str, str]:
    return pins() if _resolver is None else _resolver.pins()


def _report(name: str) -> str:
    return _resolver.report("operator", name) if _resolver is not None else ""


def _class_name(entry: Entry) -> str:
    return f"{entry.prop_class.__module__}.{entry.prop_class.__qualname__}"
