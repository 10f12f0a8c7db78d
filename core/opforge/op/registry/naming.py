"""Names of operators and of their providers: normal form, full names and pins.

`OPFORGE_PIN` is read on demand, so that a program may set it before the first use of a name.
"""

import re
from typing import NamedTuple

from ...base import config
from ...base.errors import PluginError

__all__ = [
    "NAMESPACES",
    "FullName",
    "is_distribution_name",
    "is_version",
    "normalize",
    "pin_line",
    "pins",
    "public_name",
    "registered_name",
    "split_full_name",
]

#: Prefixes of operators that are called in a namespace: ``_contrib_x`` is ``nd.contrib.x``.
NAMESPACES = ("_contrib_", "_linalg_", "_sparse_", "_image_")


class FullName(NamedTuple):
    """Parts of ``distribution::name@version``; None for a missing part."""

    provider: str | None
    name: str
    version: int | None


def normalize(distribution: str) -> str:
    """Return the normalized form of a distribution name, as on PyPI.

    Examples
    --------
    >>> normalize("Opforge_Softmax")
    'opforge-softmax'
    """
    return re.sub(r"[-_.]+", "-", distribution).lower()


def is_distribution_name(text: str) -> bool:
    """Return whether a text from a file is safe in a pip command.

    Examples
    --------
    >>> is_distribution_name("acme-gelu"), is_distribution_name("--index-url=x")
    (True, False)
    """
    return re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?", text) is not None


def is_version(text: str) -> bool:
    """Return whether a text from a file is safe as a version in a pip command.

    Examples
    --------
    >>> is_version("1.0rc1+local"), is_version("$(x)")
    (True, False)
    """
    return re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.!+_-]*", text) is not None


def split_full_name(name: str) -> FullName:
    """Split ``distribution::name@version``, in which only the name is mandatory.

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
    """Return the registered name of an operator that programs call `name`.

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
    """Return name -> pinned distribution from `OPFORGE_PIN`.

    Raises
    ------
    PluginError
        `OPFORGE_PIN` is malformed.
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
    """Return the setting that pins `name` to `distribution`."""
    return f"OPFORGE_PIN={name}={distribution}"
