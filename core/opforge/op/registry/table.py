"""`Registry`: names of one kind of contribution, and their providers.

`Registry.lookup` resolves a short name by `decision`, to the newest version of its provider.
Installed providers that are not loaded come from a resolver that `plugin` sets, so this module does
not import plugins.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from ...base.errors import OperatorNotFoundError, PluginError
from ...base.lazy_text import LazyText
from ...base.name_hints import hint_for_name
from ...base.version import VERSION
from .decision import Decision, decide
from .entry import CORE, Entry
from .journal import note, transaction
from .kinds import KINDS, Kind
from .missing import ambiguous_error, not_found_error, pinned_error, version_error
from .naming import FullName, normalize, pins, split_full_name
from .preference import preferred

__all__ = [
    "TABLES",
    "Registry",
    "Resolver",
    "current_pins",
    "forget_decisions",
    "report",
    "set_resolver",
]


#: Upper bound of cached names; a program may query any number of missing ones.
MAX_SETTLED = 10_000


class Resolver(Protocol):
    """Interface to distributions that are not loaded, implemented by `plugin`."""

    def providers(self, noun: str, name: str) -> Iterable[str]:
        """Return the enabled distributions whose metadata names a contribution of this kind."""

    def names(self, noun: str) -> Iterable[str]:
        """Return all such names."""

    def pins(self) -> Mapping[str, str]:
        """Return name -> pinned distribution."""

    def load(self, provider: str, noun: str, name: str) -> None:
        """Load a contribution; a failure is recorded, or raised in strict mode."""

    def report(self, noun: str, name: str) -> str:
        """Return the problems with installed plugins, for the error about `name`."""

    def explain(self, noun: str, name: str) -> str:
        """Return why no plugin provides `name`, if one explains it."""


class Registry:
    """Registry of the contributions of one kind, by name and provider.

    Parameters
    ----------
    kind : Kind
    """

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        # Key of the name -> normalized distribution -> its versions, oldest first.
        self._table: dict[str, dict[str, tuple[Entry, ...]]] = {}
        # (Requested name, preferred distributions) -> entry, or None if not found.
        self._settled: dict[tuple[str, tuple[str, ...]], Entry | None] = {}
        #: Functions without arguments, called after names may have changed their meaning.
        self.listeners: list[Callable[[], None]] = []

    def add(self, entry: Entry) -> None:
        """Register `entry`; its provider must not have another one of this name and version.

        Raises
        ------
        PluginError
            Another class of the same provider has this name and version.
        """
        name, key = self.kind.key(entry.name), normalize(entry.provider)
        previous = self._table.get(name, {}).get(key, ())
        same = [e for e in previous if e.operator_version == entry.operator_version]
        if same and same[0].prop_class != entry.prop_class:  # equal for the same import path
            raise PluginError(
                f"{self.kind.noun} {entry.name!r} is registered twice by {entry.provider}: "
                f"{same[0].object_name} and {entry.object_name}; rename one, or give one "
                "another version"
            )
        note(lambda: self._put(name, key, previous))
        others = [e for e in previous if e not in same]
        versions = sorted([*others, entry], key=lambda e: e.operator_version)
        self._put(name, key, tuple(versions))

    def add_own(self, name: str, contribution: Any) -> None:
        """Register a contribution of the core itself, which no enclosing transaction undoes.

        A plugin that is the first to import a module of the core may fail to load afterwards.
        """
        with transaction(independent=True):
            self.add(Entry(name, contribution, CORE, VERSION, "std"))

    def lookup(self, name: str) -> Entry:
        """Return the entry of a name, short or ``distribution::name@version``.

        Raises
        ------
        OperatorNotFoundError
            It has no provider, or not in this version.
        AmbiguousOperatorError
            Several distributions provide it, without a pin.
        PluginError
            A pin names a distribution that does not provide it.
        """
        entry = self.find(name)
        if entry is None:
            raise self.not_found(name)
        return entry

    def find(self, name: str) -> Entry | None:
        """Return the entry of a name, or None if no enabled plugin provides it.

        Raises
        ------
        OperatorNotFoundError, AmbiguousOperatorError, PluginError
            As for `lookup`, for a missing version and names that cannot be resolved.
        """
        key = (name, preferred())
        try:
            return self._settled[key]
        except KeyError:
            pass
        full = split_full_name(name)
        decision = self._decide(full)
        entry = self._settle(full, decision)
        # Other results may change: a plugin may still be importing, or its import was interrupted.
        if entry is not None or decision.reason == "not installed":
            if len(self._settled) >= MAX_SETTLED:
                self._settled.clear()
            self._settled[key] = entry
        return entry

    def is_settled(self, name: str) -> bool:
        """Return whether the result of `find` is cached."""
        return (name, preferred()) in self._settled

    def not_found(self, name: str) -> OperatorNotFoundError:
        """Return the error for a name that is not found, whose message is formatted on demand."""
        text = LazyText(self.not_found_text, name)
        # Problems with plugins may be temporary, for instance during an import.
        return OperatorNotFoundError(text if self.is_settled(name) else str(text))

    def not_found_text(self, name: str) -> str:
        """Return the message for a name that is not found."""
        noun, short = self.kind.noun, split_full_name(name).name
        text = str(not_found_error(noun, short, self.names(), report(noun, short)))
        return "\n".join(filter(None, (text, self.explain_missing(short), hint_for_name(short))))

    def explain_missing(self, name: str) -> str:
        """Return a plugin's explanation why a name is not found; empty if there is none."""
        return _resolver.explain(self.kind.noun, name) if _resolver is not None else ""

    def explain(self, name: str) -> Decision:
        """Return which distribution provides a name, and why; loads nothing."""
        return self._decide(split_full_name(name))

    def providers(self, name: str) -> dict[str, Entry]:
        """Return the newest entry of `name` by normalized distribution; loads nothing."""
        return {key: entries[-1] for key, entries in self._of(name).items()}

    def versions(self, name: str) -> list[Entry]:
        """Return all registered entries of `name`, oldest of each provider first."""
        return [entry for entries in self._of(name).values() for entry in entries]

    def entries(self) -> list[Entry]:
        """Return all registered entries, sorted by name and provider; loads nothing."""
        rows = [entry for name in [*self._table] for entry in self.versions(name)]
        return sorted(rows, key=lambda e: (e.name, e.provider, e.operator_version))

    def names(self) -> list[str]:
        """Return all names, including those of plugins that are not loaded."""
        known = {entries[-1].name for have in [*self._table.values()] for entries in have.values()}
        if _resolver is not None:
            known.update(_resolver.names(self.kind.noun))
        return sorted(known)

    def forget_decisions(self) -> None:
        """Clear cached lookups, after pins or installed plugins have changed."""
        self._settled.clear()
        for listener in self.listeners:
            listener()

    def _is_announced(self, name: str, key: str) -> bool:
        """Return whether the metadata of a plugin names a contribution, loaded or not."""
        if key == CORE or _resolver is None:
            return False
        return key in map(normalize, _resolver.providers(self.kind.noun, name))

    def _of(self, name: str) -> dict[str, tuple[Entry, ...]]:
        return self._table.get(self.kind.key(name), {})

    def _pin(self, name: str) -> str | None:
        pins = {self.kind.key(text): provider for text, provider in current_pins().items()}
        return pins.get(self.kind.key(name))

    def _put(self, name: str, key: str, entries: tuple[Entry, ...]) -> None:
        """Set the entries of a provider for `name`; concurrent readers see the old or new dict."""
        providers = dict(self._table.get(name, {}))
        is_first = not providers.pop(key, None)
        if entries:
            providers[key] = entries
        if providers:
            self._table[name] = providers
        else:
            self._table.pop(name, None)
        if entries and is_first and self._is_announced(name, key):
            self._settled.clear()  # what a plugin announced has the meaning that it had before
        else:
            self.forget_decisions()

    def _decide(self, name: FullName) -> Decision:
        # If the core has the name, metadata is read only for a pin or a preference.
        known = self._of(name.name)
        pin = None if name.provider else self._pin(name.name)
        return decide(name, CORE in known, lambda: self._candidates(name.name), preferred(), pin)

    def _candidates(self, name: str) -> dict[str, str]:
        """Return the enabled distributions that have a name, by normalized name."""
        installed = _resolver.providers(self.kind.noun, name) if _resolver is not None else ()
        found = {normalize(text): text for text in installed}
        found.update({key: e.provider for key, e in self.providers(name).items()})
        return found

    def _settle(self, name: FullName, decision: Decision) -> Entry | None:
        if decision.reason == "ambiguous":
            raise ambiguous_error(self.kind.noun, name.name, decision.candidates)
        if decision.reason == "not a provider":
            raise pinned_error(
                self.kind.noun,
                name,
                decision.provider,
                decision.candidates,
                report(self.kind.noun, name.name),
            )
        if decision.reason == "not installed":
            return None
        return self._load(name, decision.provider)

    def _load(self, name: FullName, provider: str) -> Entry | None:
        """Return the entry of a provider, loading it if necessary; None if loading fails."""
        key = normalize(provider)
        if key not in self._of(name.name) and _resolver is not None:
            _resolver.load(provider, self.kind.noun, name.name)
        entries = self._of(name.name).get(key)
        if not entries:
            return None
        if name.version is None:
            return entries[-1]
        for entry in entries:
            if entry.operator_version == name.version:
                return entry
        raise version_error(self.kind.noun, name, entries)


#: Noun -> registry of the kind.
TABLES = {noun: Registry(kind) for noun, kind in KINDS.items()}
_resolver: Resolver | None = None


def set_resolver(resolver: Resolver | None) -> None:
    """Set the resolver of names that no loaded provider has; None for no resolver."""
    global _resolver
    _resolver = resolver
    forget_decisions()


def forget_decisions() -> None:
    """Clear cached lookups of all kinds, after pins or installed plugins have changed."""
    for table in TABLES.values():
        table.forget_decisions()


def current_pins() -> Mapping[str, str]:
    """Return name -> pinned distribution."""
    return pins() if _resolver is None else _resolver.pins()


def report(noun: str, name: str) -> str:
    """Return the problems with installed plugins, for the error about a name."""
    return _resolver.report(noun, name) if _resolver is not None else ""
