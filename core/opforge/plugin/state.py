"""`PluginState`: what has been loaded of an installed plugin, and what failed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .discovery import Provider

__all__ = ["Key", "PluginState"]

#: Noun and name of a contribution.
Key = tuple[str, str]


@dataclass
class PluginState:
    """State of an installed plugin.

    Parameters
    ----------
    provider : Provider
    state : {"not loaded", "loading", "loaded", "failed", "disabled"}
        "loaded" if at least one contribution was loaded, "failed" if at least one could not be.
    reason, remedy : str
        Why it is disabled, and how to enable it.
    error : str
        One-line message of the first failure.
    trace : str
        Traceback of the first failure.
    seconds : float
        CPU time of loading in its thread, which is independent of other load on the machine.
    is_started : bool
        Whether its hooks were called, if it has any, so that other contributions can be loaded.
    failures : mapping of tuple of str to str
        Noun and name -> traceback, for each contribution that cannot be loaded.
    pending : frozenset of tuple of str
        Contributions that are being loaded.
    restored : list of str
        Removals from `sys.path` and `sys.modules` that were undone.
    """

    provider: Provider
    state: str = "not loaded"
    reason: str = ""
    remedy: str = ""
    error: str = ""
    trace: str = ""
    seconds: float = 0.0
    is_started: bool = False
    # Replaced instead of changed, because tests restore copies of a state.
    failures: Mapping[Key, str] = field(default_factory=dict)
    pending: frozenset[Key] = frozenset()
    restored: Sequence[str] = ()

    @property
    def problems(self) -> list[str]:
        """Names that its code registers without an entry point, and what its import removes."""
        if not self.is_started:
            return list(self.restored)
        from .loading import undeclared  # which imports NumPy

        return [*undeclared(self.provider), *self.restored]

    @property
    def title(self) -> str:
        """The plugin and its version, for messages."""
        return f"plugin {self.provider.name} {self.provider.version}"

    def failure(self, noun: str, name: str) -> str:
        """Return the traceback of a contribution that cannot be loaded; empty if it can.

        Without a name, return that of the first failure. If hooks fail, or the plugin is in
        quarantine, none of its contributions can be loaded.
        """
        if not name or (self.state == "failed" and not self.is_started):
            return self.trace
        return self.failures.get((noun, self.provider.declared_name(noun, name)), "")
