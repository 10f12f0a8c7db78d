"""Which plugins may load: the switch `OPFORGE_PLUGINS`, decided before anything is imported.

Empty: all. ``none``: none. ``a,b``: only these. ``-c``: all but c. A plugin is meant by its
distribution (``opforge-softmax``) or by the name of its entry point (``softmax``).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ..base import config
from ..op.naming import normalise

__all__ = ["Policy", "current_policy"]


@dataclass(frozen=True)
class Policy:
    """The distributions allowed and excluded; ``only`` None allows all."""

    only: frozenset[str] | None
    excluded: frozenset[str]

    @classmethod
    def parse(cls, text: str) -> "Policy":
        """Read the value of `OPFORGE_PLUGINS`.

        Examples
        --------
        >>> Policy.parse("-tile").allows("opforge-tile", ["tile"])
        False
        >>> Policy.parse("tile").allows("opforge-tile", ["tile"])
        True
        """
        words = [word.strip() for word in text.split(",") if word.strip()]
        if [word.lower() for word in words] == ["none"]:
            return cls(frozenset(), frozenset())
        excluded = frozenset(normalise(word[1:].strip()) for word in words if word[0] == "-")
        only = frozenset(normalise(word) for word in words if word[0] != "-")
        return cls(only or None, excluded)

    def allows(self, distribution: str, plugin_names: Iterable[str]) -> bool:
        """Tell whether a distribution's plugin may load."""
        names = {normalise(distribution), *map(normalise, plugin_names)}
        if names & self.excluded:
            return False
        return self.only is None or bool(names & self.only)


def current_policy() -> Policy:
    """Return the policy that the environment asks for now."""
    return Policy.parse(config.get("OPFORGE_PLUGINS"))
