"""Names of operators and of their providers: normal form, full names and pins.

Reads `OPFORGE_PIN` when asked, so that a program may set it before the first use of a name.
"""

import re
from typing import NamedTuple

from ...base import config
from ...base.errors import PluginError

__all__ = [
    "NAMESPACES",
    "FullName",
    "is_distribution_name",
    "normalise",
    "pin_line",
    "pins",
    "public_name",
    "registered_name",
    "split_full_name",
]

#: What operators begin with that are called in a namespace: ``_contrib_x`` is ``nd.contrib.x``.
NAMESPACES = ("_contrib_", "_linalg_", "_sparse_", "_image_")


class FullName(NamedTuple):
    """The parts of ``distribution::name@version``; None where one is not said."""

    provider: str | None
    name: str
    version: int | None


def normalise(distribution: str) -> str:
    """Return the form in which distribution names are compared, as PyPI compares them.

    Examples
    --------
    >>> normalise("Opforge_Softmax")
    'opforge-softmax'
    """
    return re.sub(r"[-_.]+", "-", distribution).lower()


def is_distribution_name(text: str) -> bool:
    """Tell whether a text that came from a file may stand in a line for pip.

    Examples
    --------
    >>> is_distribution_name("acme-gelu"), is_distribution_name("--index-url=x")
    (True, False)
    """
    return re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?", text) is not None


def split_full_name(name: str) -> FullName:
    """Split ``distribution::name@version``, of which only the name must be there.

    Examples
    --------
    >>> split_full_name("acme::softmax@2")
    FullName(provider='acme', name='softmax', version=2)
    >>> split_full_name("softmax")
    FullName(provider=None, name='softmax', version=None)
    """
    provider, _, rest = name.rpartition("::")
    short, _, version = rest.rpartition("@")
    if not (short and version.isascii() and version.isdecimal()):
        return FullName(provider or None, rest, None)
    return FullName(provider or None, short, int(version))


def public_name(name: str) -> str:
    """Return the name under which programs call an operator.

    Examples
    --------
    >>> public_name("_contrib_box_nms"), public_name("softmax"), public_name("_backward_abs")
    ('contrib.box_nms', 'softmax', '_backward_abs')
    """
    for prefix in NAMESPACES:
        if name.startswith(prefix):
            return f"{prefix.strip('_')}.{name.removeprefix(prefix)}"
    return name


def registered_name(name: str) -> str:
    """Return the name under which what programs call so is registered.

    Examples
    --------
    >>> registered_name("contrib.box_nms"), registered_name("acme::softmax@2")
    ('_contrib_box_nms', 'acme::softmax@2')
    """
    for prefix in NAMESPACES:
        called = f"{prefix.strip('_')}."
        if name.startswith(called):
            return f"{prefix}{name.removeprefix(called)}"
    return name


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
