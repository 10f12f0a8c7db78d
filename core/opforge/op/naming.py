"""Names of operators and of their providers: normal form, full names and pins.

Reads `OPFORGE_PIN` when asked, so that a program may set it before the first use of a name.
"""

import re

from ..base import config
from ..base.errors import PluginError

__all__ = ["normalise", "pin_line", "pins", "split_full_name"]


def normalise(distribution: str) -> str:
    """Return the form in which distribution names are compared, as PyPI compares them.

    Examples
    --------
    >>> normalise("Opforge_Softmax")
    'opforge-softmax'
    """
    return re.sub(r"[-_.]+", "-", distribution).lower()


def split_full_name(name: str) -> tuple[str | None, str]:
    """Split ``distribution::name``; the first part is None for a short name."""
    provider, mark, short = name.rpartition("::")
    return (provider, short) if mark else (None, name)


def pins() -> dict[str, str]:
    """Return the distribution that is to provide each contested name.

    Raises
    ------
    PluginError
        `OPFORGE_PIN` cannot be read.
    """
    found = {}
    for part in config.get("OPFORGE_PIN").split(","):
        if not part.strip():
            continue
        name, mark, provider = (text.strip() for text in part.partition("="))
        if not (name and mark and provider):
            raise PluginError(
                f"OPFORGE_PIN has {part.strip()!r}, expected name=distribution, "
                "for instance OPFORGE_PIN=softmax=opforge-softmax"
            )
        found[name] = provider
    return found


def pin_line(name: str, distribution: str) -> str:
    """Return the setting that makes `distribution` provide `name`."""
    return f"OPFORGE_PIN={name}={distribution}"
