"""`Registry`: names of one kind of thing, and who provides them.

`Registry.lookup` settles a short name as `decision` says, and takes the newest version that its
provider has. Providers that are installed but not loaded come from a resolver that `plugin` sets,
so nothing here imports a plugin.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from ...base.errors import OperatorNotFoundError, PluginError
from ...base.lazy_text import LazyText
from ...base.other_names import hint_for_name
from .decision import Decision, decide
from .entry import CORE, Entry
from .journal import note
from .kinds import KINDS, Kind
from .missing import ambiguous_error, not_found_error, pinned_error, version_error
from .naming import FullName, normalise, pins, split_full_name
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


#: Settled names that a registry keeps at most: a program may ask for any number of names that do
#: not exist.
MAX_SETTLED = 10_000


class Resolver(Protocol):
    """Interface to distributions that are not loaded, implemented by `plugin`."""

    def providers(self, noun: str, name: str) -> Iterable[str]:
        """Return the enabled distributions whose metadata name a thing of this kind."""

    def names(self, noun: str) -> Iterable[str]:
        """Return all such names."""

    def pins(self) -> Mapping[str, str]:
        """Return the distribution that is to provide each pinned name."""

    def load(self, provider: str) -> None:
        """Load a distribution's plugin; a failure is recorded, or raised in strict mode."""

    def report(self, noun: str, name: str) -> str:
        """Return what is wrong with installed plugins, for the error about `name`."""


class Registry:
    """Names of one kind of thing, each with its providers.

    Parameters
    ----------
    kind : Kind
    """

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        # Name as it is compared -> normalised distribution -> its versions, the oldest first.
        self._table: dict[str, dict[str, tuple[Entry, ...]]] = {}
        # By the name as it was asked for and what is preferred in that place; None: not found.
        self._settled: dict[tuple[str, tuple[str, ...]], Entry | None] = {}
        #: Functions without arguments that are called after names may have changed their meaning.
        self.listeners: list[Callable[[], None]] = []

    def add(self, entry: Entry) -> None:
        """Register `entry`; its provider may not have the name in this version already.

        Raises
        ------
        PluginError
            Another class of the same provider has this name and version.
        """
        name, key = self.kind.key(entry.name), normalise(entry.provider)
        previous = self._table.get(name, {}).get(key, ())
        same = [e for e in previous if e.operator_version == entry.operator_version]
        if same and same[0].prop_class != entry.prop_class:  # equal import paths are equal texts
            raise PluginError(
                f"{self.kind.noun} {entry.name!r} is registered twice by {entry.provider}: "
                f"{same[0].object_name} and {entry.object_name}; rename one, or give one "
                "another version"
            )
        note(lambda: self._put(name, key, previous))
        others = [e for e in previous if e not in same]
        versions = sorted([*others, entry], key=lambda e: e.operator_version)
        self._put(name, key, tuple(versions))

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
        entry = self.find(name)
        if entry is None:
            raise self.not_found(name)
        return entry

    def find(self, name: str) -> Entry | None:
        """Return the entry that a name stands for, or None if no enabled plugin provides it.

        Raises
        ------
        OperatorNotFoundError, AmbiguousOperatorError, PluginError
            As `lookup`, for a version that does not exist and for names that cannot be settled.
        """
        key = (name, preferred())
        try:
            return self._settled[key]
        except KeyError:
            pass
        full = split_full_name(name)
        decision = self._decide(full)
        entry = self._settle(full, decision)
        # A plugin that is being imported, or whose import was interrupted, may provide it later.
        if entry is not None or decision.reason == "not installed":
            if len(self._settled) >= MAX_SETTLED:
                self._settled.clear()
            self._settled[key] = entry
        return entry

    def is_settled(self, name: str) -> bool:
        """Tell whether `find` answers without deciding anew."""
        return (name, preferred()) in self._settled

    def not_found(self, name: str) -> OperatorNotFoundError:
        """Return the error for a name that is not found; its text is made when it is read."""
        text = LazyText(self.not_found_text, name)
        # What is wrong with a plugin may be true now alone, for instance while it is imported.
        return OperatorNotFoundError(text if self.is_settled(name) else str(text))

    def not_found_text(self, name: str) -> str:
        """Return the message for a name that is not found."""
        noun, short = self.kind.noun, split_full_name(name).name
        text = str(not_found_error(noun, short, self.names(), report(noun, short)))
        return "\n".join(filter(None, (text, hint_for_name(short))))

    def explain(self, name: str) -> Decision:
        """Return who is to provide a name and why; loads nothing."""
        return self._decide(split_full_name(name))

    def providers(self, name: str) -> dict[str, Entry]:
        """Return the newest entry of `name` by normalised distribution; loads nothing."""
        return {key: entries[-1] for key, entries in self._of(name).items()}

    def versions(self, name: str) -> list[Entry]:
        """Return all registered entries of `name`, the oldest of each provider first."""
        return [entry for entries in self._of(name).values() for entry in entries]

    def entries(self) -> list[Entry]:
        """Return all registered entries, sorted by name and provider; loads nothing."""
        rows = [entry for name in [*self._table] for entry in self.versions(name)]
        return sorted(rows, key=lambda e: (e.name, e.provider, e.operator_version))

    def names(self) -> list[str]:
        """Return all names, those of plugins that are not loaded included."""
        known = {entries[-1].name for have in [*self._table.values()] for entries in have.values()}
        if _resolver is not None:
            known.update(_resolver.names(self.kind.noun))
        return sorted(known)

    def forget_decisions(self) -> None:
        """Settle every name anew, after pins or the installed plugins changed."""
        self._settled.clear()
        for listener in self.listeners:
            listener()

    def _of(self, name: str) -> dict[str, tuple[Entry, ...]]:
        return self._table.get(self.kind.key(name), {})

    def _pin(self, name: str) -> str | None:
        pins = {self.kind.key(text): provider for text, provider in current_pins().items()}
        return pins.get(self.kind.key(name))

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
        self.forget_decisions()

    def _decide(self, name: FullName) -> Decision:
        # Where the core has a name, metadata is read only if a pin or a preference asks for it.
        known = self._of(name.name)
        pin = None if name.provider else self._pin(name.name)
        return decide(name, CORE in known, lambda: self._candidates(name.name), preferred(), pin)

    def _candidates(self, name: str) -> dict[str, str]:
        """Return the enabled distributions that have a name, by normalised name."""
        installed = _resolver.providers(self.kind.noun, name) if _resolver is not None else ()
        found = {normalise(text): text for text in installed}
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
        """Return the entry of one provider, loading it if need be; None if loading fails."""
        key = normalise(provider)
        if key not in self._of(name.name) and _resolver is not None:
            _resolver.load(provider)
        entries = self._of(name.name).get(key)
        if not entries:
            return None
        if name.version is None:
            return entries[-1]
        for entry in entries:
            if entry.operator_version == name.version:
                return entry
        raise version_error(self.kind.noun, name, entries)


#: The registry of each kind, by its noun.
TABLES = {noun: Registry(kind) for noun, kind in KINDS.items()}
_resolver: Resolver | None = None


def set_resolver(resolver: Resolver | None) -> None:
    """Set who is asked for names that no loaded provider has; None: nobody."""
    global _resolver
    _resolver = resolver
    forget_decisions()


def forget_decisions() -> None:
    """Settle every name of every kind anew, after pins or the installed plugins changed."""
    for table in TABLES.values():
        table.forget_decisions()


def current_pins() -> Mapping[str, str]:
    """Return the distribution that is to provide each pinned name."""
    return pins() if _resolver is None else _resolver.pins()


def report(noun: str, name: str) -> str:
    """Return what is wrong with installed plugins, for the error about a name."""
    return _resolver.report(noun, name) if _resolver is not None else ""
