"""The one registry: which class declares an operator, or is a layer, and who provides it.

`lookup` settles a short name by a pin, else the primitive set, else the only provider; never by
the order of installation. Providers that are installed but not loaded come from a resolver that
`plugin` sets, so nothing here imports a plugin. Invariant: `transaction` undoes, as a whole, what
its thread registered if the block fails.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Protocol

from ..base.errors import OperatorNotFoundError, PluginError
from .declaration import OperatorProp
from .entry import CORE, Entry
from .missing import ambiguous_error, not_found_error, pinned_error
from .naming import normalise, pins, split_full_name

__all__ = [
    "LAYERS",
    "OPERATORS",
    "Entry",
    "Registry",
    "Resolver",
    "custom_names",
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

    def load(self, provider: str) -> None:
        """Load a distribution's plugin; a failure is recorded, or raised in strict mode."""

    def report(self, noun: str, name: str) -> str:
        """Return what is wrong with installed plugins, for the error about `name`."""


class Registry:
    """Names of one kind of thing, ``"operator"`` or ``"layer"``, each with its providers."""

    def __init__(self, noun: str) -> None:
        self.noun = noun
        self._table: dict[str, dict[str, Entry]] = {}
        self._settled: dict[str, Entry] = {}

    def add(self, entry: Entry) -> None:
        """Register `entry`; its provider may not have the name already.

        Raises
        ------
        PluginError
            Another class of the same provider has this name.
        """
        key = normalise(entry.provider)
        previous = self._table.get(entry.name, {}).get(key)
        if previous is not None and previous.prop_class is not entry.prop_class:
            raise PluginError(
                f"{self.noun} {entry.name!r} is registered twice by {entry.provider}: "
                f"{_class_name(previous)} and {_class_name(entry)}; rename one"
            )
        _note(lambda: self._put(entry.name, key, previous))
        self._put(entry.name, key, entry)

    def lookup(self, name: str) -> Entry:
        """Return the entry that `name`, short or ``distribution::name``, stands for.

        Raises
        ------
        OperatorNotFoundError
            Nobody provides it.
        AmbiguousOperatorError
            Several do and no pin decides.
        PluginError
            A pin names a distribution that does not provide it.
        """
        entry = self._settled.get(name)
        if entry is None:
            entry = self._settle(name)
            self._settled[name] = entry
        return entry

    def providers(self, name: str) -> dict[str, Entry]:
        """Return the registered entries of `name` by normalised distribution; loads nothing."""
        return dict(self._table.get(name, {}))

    def entries(self) -> list[Entry]:
        """Return all registered entries, sorted by name and provider; loads nothing."""
        rows = [entry for providers in self._table.values() for entry in providers.values()]
        return sorted(rows, key=lambda entry: (entry.name, entry.provider))

    def names(self) -> list[str]:
        """Return all names, those of plugins that are not loaded included."""
        known = set(self._table)
        if _resolver is not None:
            known.update(_resolver.names(self.noun))
        return sorted(known)

    def forget_decisions(self) -> None:
        """Settle every name anew, after pins or the installed plugins changed."""
        self._settled.clear()

    def _put(self, name: str, key: str, entry: Entry | None) -> None:
        """Set or remove what one provider has under `name`; readers see the old dict or the new."""
        providers = dict(self._table.get(name, {}))
        providers.pop(key, None)
        if entry is not None:
            providers[key] = entry
        if providers:
            self._table[name] = providers
        else:
            self._table.pop(name, None)
        self._settled.clear()

    def _settle(self, name: str) -> Entry:
        wanted, short = split_full_name(name)
        pin = wanted or pins().get(short)
        own = self._table.get(short, {}).get(CORE)
        if pin is None and own is not None:
            return own  # whoever else is installed: their metadata need not be read
        installed = _resolver.providers(self.noun, short) if _resolver is not None else ()
        candidates = {normalise(text): text for text in installed}
        candidates.update({k: e.provider for k, e in self._table.get(short, {}).items()})
        if pin is not None:
            if normalise(pin) not in candidates:
                raise pinned_error(self.noun, name, pin, candidates.values(), self._report(short))
            return self._load(short, normalise(pin), candidates)
        if len(candidates) > 1:
            raise ambiguous_error(self.noun, short, candidates.values())
        if not candidates:
            raise self._not_found(short)
        return self._load(short, next(iter(candidates)), candidates)

    def _load(self, name: str, key: str, candidates: dict[str, str]) -> Entry:
        """Return the entry of one provider, loading it if need be."""
        if key not in self._table.get(name, {}) and _resolver is not None:
            _resolver.load(candidates[key])
        entry = self._table.get(name, {}).get(key)
        if entry is None:
            raise self._not_found(name)
        return entry

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
    _note(lambda: _set_custom(name, previous))
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
        if entry is None or not issubclass(entry.prop_class, OperatorProp):
            raise
        return entry


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


@contextmanager
def transaction(independent: bool = False) -> Iterator[None]:
    """Undo everything that this thread registers in the block, if the block raises.

    Parameters
    ----------
    independent : bool, default False
        Whether it stays when a surrounding transaction fails, as a plugin stays that was loaded
        because another one needed it.
    """
    # A journal for each thread instead of a lock: a lock held while a plugin is imported could
    # wait for a thread that holds the import lock and waits for this one.
    outer = getattr(_journal, "undo", None)
    mine: list[Callable[[], None]] = []
    _journal.undo = mine
    try:
        yield
    except BaseException:
        for undo in reversed(mine):
            undo()
        raise
    else:
        if outer is not None and not independent:
            outer.extend(mine)
    finally:
        _journal.undo = outer


@contextmanager
def temporary() -> Iterator[None]:
    """Undo everything that this thread registers in the block, also if it succeeds.

    Plugins that are loaded in it stay, as in any `transaction`.
    """
    # Raised inside and caught outside: the transaction knows one way to undo.
    try:
        with transaction():
            yield
            raise _BlockEnded
    except _BlockEnded:
        pass


class _BlockEnded(Exception):
    """Ends the transaction of `temporary`."""


_journal = threading.local()


def _note(undo: Callable[[], None]) -> None:
    journal = getattr(_journal, "undo", None)
    if journal is not None:
        journal.append(undo)


def _set_custom(name: str, entry: Entry | None) -> None:
    if entry is None:
        _custom.pop(name, None)
    else:
        _custom[name] = entry


def _report(name: str) -> str:
    return _resolver.report("operator", name) if _resolver is not None else ""


def _class_name(entry: Entry) -> str:
    return f"{entry.prop_class.__module__}.{entry.prop_class.__qualname__}"
