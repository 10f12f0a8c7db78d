"""Policy on which plugins may load, decided before any import: `OPFORGE_PLUGINS` and the settings.

The environment takes precedence: ``none`` means no plugin; ``a,b`` only these, even if the settings
disable them; ``-c`` all but c and those that the settings disable. If it is empty, the settings
decide. ``-lock FILE`` means all plugins of a lock file, if they are installed as it says. An
allowlist in the settings always applies. A plugin is named by its distribution
(``opforge-softmax``) or its entry point (``softmax``).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..base import config
from ..op.registry.naming import normalize
from .settings import Settings

if TYPE_CHECKING:
    from .lock_file import LockedPlugin

__all__ = ["Policy"]

_SWITCH = "OPFORGE_PLUGINS"
_LOCK = re.compile(r"\s*-lock\s+(?P<path>.+?)\s*")


@dataclass(frozen=True)
class Policy:
    """Distributions that the environment selects and excludes, and the settings.

    Parameters
    ----------
    only : frozenset of str, optional
        None: all.
    excluded : frozenset of str
    settings : Settings
    text : str
        Value of the environment variable, for messages.
    locked : mapping of str to LockedPlugin, optional
        Plugins of the lock file by normalized name; None without one.
    """

    only: frozenset[str] | None
    excluded: frozenset[str]
    settings: Settings = field(default_factory=Settings)
    text: str = ""
    locked: "Mapping[str, LockedPlugin] | None" = None

    @classmethod
    def parse(cls, text: str, settings: Settings | None = None) -> "Policy":
        """Read the value of `OPFORGE_PLUGINS`, and the lock file that it names.

        Raises
        ------
        PluginError
            The lock file cannot be read.

        Examples
        --------
        >>> Policy.parse("-tile").disabled_reason("opforge-tile", ["tile"])
        'disabled by OPFORGE_PLUGINS=-tile'
        >>> Policy.parse("tile").disabled_reason("opforge-tile", ["tile"])
        ''
        """
        settings = settings or Settings()
        lock = _LOCK.fullmatch(text)
        if lock:
            from .lock_file import read_lock  # most programs have no lock file

            return cls(None, frozenset(), settings, text, read_lock(lock["path"]))
        words = [word.strip() for word in text.split(",") if word.strip()]
        if [word.lower() for word in words] == ["none"]:
            return cls(frozenset(), frozenset(), settings, text)
        excluded = frozenset(normalize(word[1:].strip()) for word in words if word[0] == "-")
        only = frozenset(normalize(word) for word in words if word[0] != "-")
        return cls(only or None, excluded, settings, text)

    @classmethod
    def current(cls, settings: Settings) -> "Policy":
        """Return the policy of the current environment, combined with the settings."""
        return cls.parse(config.get(_SWITCH), settings)

    def disabled_reason(self, distribution: str, plugin_names: Iterable[str]) -> str:
        """Return why a distribution's plugin may not load; empty if it may."""
        key = normalize(distribution)
        names = {key, *map(normalize, plugin_names)}
        settings = self.settings
        if names & self.excluded or (self.only is not None and not names & self.only):
            return f"disabled by {_SWITCH}={self.text}"
        if self.only is None and key in settings.disabled:
            return f"disabled in {settings.path}"
        if self.locked is not None:
            from .lock_file import difference

            if why := difference(self.locked.get(key)):
                return f"rejected by {_SWITCH}={self.text}: {why}"
        if settings.mode == "allowlist":
            if key not in settings.allowed:
                return f"not in the allowlist of {settings.path}"
            if settings.allowed[key]:
                return self._other_contents(distribution)
        return ""

    def command_disabled_reason(self, distribution: str, plugin_names: Iterable[str]) -> str:
        """Return why a distribution's commands may not run; empty if they may.

        A list of plugins in `OPFORGE_PLUGINS` restricts what programs load, but not commands, which
        run only if a user types them. "none", exclusions and settings apply to commands, too.

        Examples
        --------
        >>> Policy.parse("tile").command_disabled_reason("opforge-tools", ["tools"])
        ''
        >>> Policy.parse("none").command_disabled_reason("opforge-tools", ["tools"])
        'disabled by OPFORGE_PLUGINS=none'
        """
        policy = replace(self, only=None) if self.only else self
        return policy.disabled_reason(distribution, plugin_names)

    def enabling_line(self, distribution: str, reason: str) -> str:
        """Return how to enable a distribution that was rejected."""
        if reason.startswith("rejected"):
            return f"install what is locked, or lock the installed {distribution}: opforge lock"
        if _SWITCH in reason:
            return f"change {_SWITCH}, which is {self.text!r}"
        if reason.startswith("disabled"):
            return f"opforge plugins enable {distribution}"
        return f"opforge plugins allow {distribution}"

    def _other_contents(self, distribution: str) -> str:
        """Return how the contents of a distribution differ from those in the allowlist."""
        from importlib.metadata import distribution as find

        from .record import other_contents

        wanted = self.settings.allowed[normalize(distribution)]
        return other_contents(find(distribution), wanted, f"allowed in {self.settings.path}")
