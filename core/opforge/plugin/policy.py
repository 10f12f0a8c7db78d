"""Which plugins may load, decided before anything is imported: `OPFORGE_PLUGINS` and the settings.

The environment goes first: ``none`` is no plugin; ``a,b`` are only these, whatever the settings
disable; ``-c`` is all but c, less what the settings disable. Empty: as the settings say. A list of
allowed distributions in the settings holds in every case. A plugin is meant by its distribution
(``opforge-softmax``) or by the name of its entry point (``softmax``).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ..base import config
from ..op.registry.naming import normalise
from .settings import Settings

__all__ = ["Policy"]

_SWITCH = "OPFORGE_PLUGINS"


@dataclass(frozen=True)
class Policy:
    """The distributions that the environment chooses and excludes, and the settings.

    Parameters
    ----------
    only : frozenset of str, optional
        None: all.
    excluded : frozenset of str
    settings : Settings
    text : str
        What the environment says, for people.
    """

    only: frozenset[str] | None
    excluded: frozenset[str]
    settings: Settings = field(default_factory=Settings)
    text: str = ""

    @classmethod
    def parse(cls, text: str, settings: Settings | None = None) -> "Policy":
        """Read the value of `OPFORGE_PLUGINS`.

        Examples
        --------
        >>> Policy.parse("-tile").refusal("opforge-tile", ["tile"])
        'disabled by OPFORGE_PLUGINS=-tile'
        >>> Policy.parse("tile").refusal("opforge-tile", ["tile"])
        ''
        """
        settings = settings or Settings()
        words = [word.strip() for word in text.split(",") if word.strip()]
        if [word.lower() for word in words] == ["none"]:
            return cls(frozenset(), frozenset(), settings, text)
        excluded = frozenset(normalise(word[1:].strip()) for word in words if word[0] == "-")
        only = frozenset(normalise(word) for word in words if word[0] != "-")
        return cls(only or None, excluded, settings, text)

    @classmethod
    def current(cls, settings: Settings) -> "Policy":
        """Return what the environment asks for now, on top of the settings."""
        return cls.parse(config.get(_SWITCH), settings)

    def refusal(self, distribution: str, plugin_names: Iterable[str]) -> str:
        """Return why a distribution's plugin may not load; an empty string if it may."""
        key = normalise(distribution)
        names = {key, *map(normalise, plugin_names)}
        settings = self.settings
        if names & self.excluded or (self.only is not None and not names & self.only):
            return f"disabled by {_SWITCH}={self.text}"
        if self.only is None and key in settings.disabled:
            return f"disabled in {settings.path}"
        if settings.mode == "allowlist":
            if key not in settings.allowed:
                return f"not among the allowed ones in {settings.path}"
            if settings.allowed[key]:
                return self._other_contents(distribution)
        return ""

    def command_refusal(self, distribution: str, plugin_names: Iterable[str]) -> str:
        """Return why a distribution's commands may not run; an empty string if they may.

        A list of plugins in `OPFORGE_PLUGINS` limits what programs load. It does not hide commands,
        which run only when a user types them; "none", exclusions and settings do.

        Examples
        --------
        >>> Policy.parse("tile").command_refusal("opforge-tools", ["tools"])
        ''
        >>> Policy.parse("none").command_refusal("opforge-tools", ["tools"])
        'disabled by OPFORGE_PLUGINS=none'
        """
        policy = replace(self, only=None) if self.only else self
        return policy.refusal(distribution, plugin_names)

    def enabling_line(self, distribution: str, refusal: str) -> str:
        """Return what to do about a refusal."""
        if _SWITCH in refusal:
            return f"change {_SWITCH}, which is {self.text!r}"
        if refusal.startswith("disabled"):
            return f"opforge plugins enable {distribution}"
        return f"opforge plugins allow {distribution}"

    def _other_contents(self, distribution: str) -> str:
        """Return how an allowed distribution differs from the one that was allowed."""
        from importlib.metadata import distribution as find

        from .record import changed_files, record_hash

        installed = find(distribution)
        wanted = self.settings.allowed[normalise(distribution)]
        if record_hash(installed) != wanted:
            return f"not the contents that are allowed in {self.settings.path}"
        changed = changed_files(installed)
        if changed:
            return f"its files differ from its RECORD: {', '.join(sorted(changed))}"
        return ""
