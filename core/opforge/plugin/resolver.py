"""State of the installed plugins, and the resolver that the registry uses to load them.

A lock serializes loading, so that a plugin is loaded once even if several threads need it at the
same time. Invariant: a contribution is loaded at most once, whether it succeeds or fails, except
after Ctrl-C or a lack of memory.
"""

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module

from ..base import config
from ..base.errors import OutOfMemoryError, PluginError
from ..base.module_aliases import forget_missing
from ..base.out_of_memory import lacked_memory
from ..op.registry import table
from ..op.registry.journal import transaction
from ..op.registry.naming import normalize, pins
from .discovery import Provider, scan
from .policy import Policy
from .settings import Settings, read_settings
from .state import Key, PluginState

__all__ = ["RESOLVER", "MetadataResolver", "PluginState", "load_all", "refresh", "states"]


#: Key of the failure of a plugin's hooks.
_HOOKS: Key = ("", "")


class MetadataResolver:
    """Finds and loads providers of names that are missing in the registry."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._states: dict[str, PluginState] | None = None
        self._settings: Settings | None = None
        self._unreadable: dict[str, str] = {}

    def settings(self) -> Settings:
        """Return the user's settings; reads them at the first call.

        Raises
        ------
        PluginError
            The settings are invalid.
        """
        found = self._settings
        if found is None:
            found = self._settings = read_settings()
        return found

    def pins(self) -> dict[str, str]:
        """Return name -> pinned distribution; the environment overrides the settings."""
        return {**self.settings().pins, **pins()}

    def states(self) -> dict[str, PluginState]:
        """Return the state of each installed plugin; scans the metadata at the first call."""
        found = self._states
        if found is None:
            with self._lock:
                if self._states is None:
                    self._states = self._scan({})
                found = self._states
        return found

    def command_states(self) -> Iterator[PluginState]:
        """Yield for each installed plugin whether its commands are enabled or disabled."""
        policy = Policy.current(self.settings())
        for state in self.states().values():
            provider = state.provider
            reason = policy.command_disabled_reason(provider.name, provider.modules)
            yield _state(provider, reason, policy)

    def unreadable(self) -> dict[str, str]:
        """Return metadata folder that is skipped -> reason."""
        self.states()
        return self._unreadable

    def refresh(self) -> None:
        """Rescan installed plugins and settings; loaded plugins stay loaded."""
        # Imported here, because listing plugins does not need NumPy.
        from ..op.calling.functions import forget_functions

        with self._lock:
            self._settings = None
            kept = {
                key: state
                for key, state in (self._states or {}).items()
                if state.state in ("loaded", "loading")
            }
            self._states = self._scan(kept)
            table.forget_decisions()
        forget_functions()
        forget_missing()

    def providers(self, noun: str, name: str) -> list[str]:
        """Return the enabled distributions whose metadata names a contribution."""
        return [
            state.provider.name
            for state in self.states().values()
            if state.state != "disabled" and state.provider.has(noun, name)
        ]

    def names(self, noun: str) -> list[str]:
        """Return the names in the metadata of enabled plugins."""
        enabled = (s for s in self.states().values() if s.state != "disabled")
        return sorted({name for state in enabled for name in state.provider.names(noun)})

    def load(self, provider: str, noun: str = "", name: str = "") -> None:
        """Load a contribution of a distribution, or all of them, each once.

        A failure is recorded, or raised in strict mode.

        Parameters
        ----------
        provider : str
            Distribution.
        noun, name : str
            Contribution; empty: all of the distribution.
        """
        # The states are created before the lock is taken; a plugin's state object never changes.
        state = self.states().get(normalize(provider))
        if state is None or state.state == "disabled":
            return
        with self._lock:
            if state.state == "not loaded":
                self._attempt(state, _HOOKS, partial(_start, state))
            if state.is_started:
                for key in [(noun, name)] if name else state.provider.contributions():
                    self._load(state, *key)
            trace = state.failure(noun, name)
            if trace and config.get_bool("OPFORGE_STRICT"):
                raise PluginError(f"{state.title} failed to load: {trace}")

    def report(self, noun: str, name: str) -> str:
        """Return the problems with installed plugins, for the error about `name`."""
        from .remedies import failure_remedy

        lines = [f"{folder} is skipped: {why}" for folder, why in self.unreadable().items()]
        for state in self.states().values():
            provides = state.provider.has(noun, name)
            if state.state == "failed":
                fix = f"To fix it: {failure_remedy(state.provider.name, state.error)}"
                trace = _indent(state.failure(noun, name) or state.trace)
                lines.append(f"{state.title} failed to load:\n{trace}\n  {fix}")
            elif provides and state.state == "disabled":
                lines.append(f"{state.title} provides it but is {state.reason}: {state.remedy}")
            elif provides and state.pending:
                lines.append(f"{state.title} provides it and is still being imported")
            elif provides and state.problems:
                lines.append(f"{state.title}: {'; '.join(state.problems)}")
        return "\n".join(lines)

    def explain(self, noun: str, name: str) -> str:
        """Return why no plugin provides `name`, if one explains it."""
        # By name, because that module imports this one.
        found: str = import_module(f"{__package__}.aliases").explain_contribution(noun, name)
        return found

    def _scan(self, kept: dict[str, PluginState]) -> dict[str, PluginState]:
        from .probe import quarantined

        policy = Policy.current(self.settings())
        found = dict(kept)
        providers, self._unreadable = scan()
        fresh = {key: p for key, p in providers.items() if key not in found}
        crashed = quarantined(fresh.values())
        for key, provider in fresh.items():
            found[key] = _initial(provider, policy)
            if key in crashed and found[key].state == "not loaded":
                found[key].state = "failed"
                found[key].error, found[key].trace = crashed[key]
        return {key: found[key] for key in sorted(found)}

    def _load(self, state: PluginState, noun: str, name: str) -> None:
        """Load the entry point of a contribution, unless that was done or is being done."""
        from .loading import register_entry_point

        declared = state.provider.declared_name(noun, name)
        key = noun, declared
        if not declared or key in state.failures or key in state.pending:
            return
        if state.provider.key not in table.TABLES[noun].providers(name):
            self._attempt(state, key, partial(register_entry_point, state.provider, *key))

    def _attempt(self, state: PluginState, key: Key, load: Callable[[], None]) -> None:
        """Run one step of loading; record its failure, or raise it in strict mode."""
        from .import_guard import preserved_imports
        from .interrupts import was_raised_by_code
        from .tracebacks import last_line, plugin_traceback

        before, pending = state.state, state.pending
        state.state, state.pending = "loading", pending | {key}
        start = time.thread_time()
        try:
            # Independent, because another plugin that is being loaded may need this one.
            with preserved_imports() as restored, transaction(independent=True):
                load()
            state.restored = [*state.restored, *restored]
        # sys.exit() of a plugin, or a panic of its Rust code, must not end the program.
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and not was_raised_by_code(error):
                state.state = before
                raise
            if lacked_memory(error):
                state.state = before
                raise OutOfMemoryError(f"no memory to load {state.title}: {error!r}") from error
            text, trace = last_line(error), plugin_traceback(error)
            state.failures = {**state.failures, key: trace}
            state.error, state.trace = state.error or text, state.trace or trace
            state.state = "failed"
            # Strict mode raises the plugin's own exception as the cause, not only its text.
            if config.get_bool("OPFORGE_STRICT"):
                raise PluginError(f"{state.title} failed to load: {text}") from error
        else:
            done = "loading" if pending else "loaded"
            state.state = "failed" if state.failures else done
        finally:
            state.pending = pending
            if not pending:  # the time of a step includes those within it
                state.seconds += time.thread_time() - start


RESOLVER = MetadataResolver()


def states() -> list[PluginState]:
    """Return the state of each installed plugin, sorted by distribution; loads nothing."""
    return list(RESOLVER.states().values())


def refresh() -> None:
    """Find plugins that were installed after the program started; reread settings and pins.

    Loaded plugins stay loaded. If the provider of a name has changed, the new one is used from the
    next use of the name on.

    Examples
    --------
    >>> import opforge
    >>> opforge.refresh()
    """
    RESOLVER.refresh()


def load_all() -> list[PluginState]:
    """Load every enabled plugin and return the states."""
    for state in states():
        RESOLVER.load(state.provider.name)
    return states()


def _start(state: PluginState) -> None:
    """Register what the hooks of a plugin return."""
    from . import probe
    from .loading import register_hooks

    probe.check(state.provider)
    register_hooks(state.provider)
    state.is_started = True


def _initial(provider: Provider, policy: Policy) -> PluginState:
    """Return the initial state of a plugin."""
    return _state(provider, policy.disabled_reason(provider.name, provider.modules), policy)


def _state(provider: Provider, reason: str, policy: Policy) -> PluginState:
    if not reason:
        return PluginState(provider)
    return PluginState(provider, "disabled", reason, policy.enabling_line(provider.name, reason))


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
