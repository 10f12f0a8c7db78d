"""Errors of name resolution: not found, ambiguous, invalid pin.

Each message says what to do: similar names, the command that installs, the setting that pins.
"""

import re
from collections.abc import Iterable
from functools import cache

from ...base.errors import AmbiguousOperatorError, OperatorNotFoundError, PluginError
from ...base.spelling import close_names
from .catalogue import providers as known_providers
from .entry import Entry
from .naming import FullName, pin_line

__all__ = ["ambiguous_error", "not_found_error", "offer", "pinned_error", "version_error"]

#: What pip installs to get all plugins that most programs need.
STANDARD = "opforge[std]"


def not_found_error(
    noun: str, name: str, known: Iterable[str], report: str = ""
) -> OperatorNotFoundError:
    """Return the error for a name without a provider.

    Parameters
    ----------
    noun : str
        Kind of `op.registry.kinds`, or "custom operator".
    name : str
    known : iterable of str
        Existing names.
    report : str
        Problems with installed plugins, if any.
    """
    is_custom = noun == "custom operator"
    # MXNet's wording for nd.Custom, which programs may search for.
    first = f"Cannot find custom operator {name}"
    known = set(known)
    catalogue, problem = known_providers(noun)
    if not is_custom:
        first = f"no enabled plugin provides the {noun} {name!r}"
        if name not in catalogue and not report:
            first = f"opforge has no {noun} {name!r}, and no known plugin provides it"
    lines = [first]
    if name in catalogue:
        lines.append(offer(catalogue[name], report))
    else:
        close = _close_names(name, {*known, *catalogue} - {name})
        if close:
            words = [_with_source(text, known, catalogue) for text in close]
            lines.append(f"similar names: {', '.join(words)}")
        if is_custom:
            lines.append(f"register it first: @opforge.operator.register({name!r})")
    lines += filter(None, (problem, report))
    return OperatorNotFoundError("\n".join(lines))


def offer(distribution: str, report: str = "") -> str:
    """Return a sentence that names the distribution that provides a name, and how to install it.

    Examples
    --------
    >>> print(offer("opforge-tile"))  # doctest: +ELLIPSIS
    opforge-tile provides it: pip install opforge-tile, or pip install 'opforge[std]' for ...
    >>> offer("acme-gelu")
    'acme-gelu provides it: pip install acme-gelu'
    """
    if distribution in report:  # it is installed, and the report says what to do
        return f"{distribution} provides it"
    everything = f", or pip install '{STANDARD}' for all standard plugins"
    others = everything if distribution in _standard_plugins() else ""
    return f"{distribution} provides it: pip install {distribution}{others}"


@cache
def _standard_plugins() -> frozenset[str]:
    """Return the distributions that ``opforge[std]`` installs."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        found = requires("opforge") or []
    except PackageNotFoundError:  # run from a source tree that is not installed
        return frozenset()
    members = (re.match(r"([\w.-]+)\s*;\s*extra\s*==\s*['\"]std['\"]", text) for text in found)
    return frozenset(member[1] for member in members if member)


def ambiguous_error(noun: str, name: str, providers: Iterable[str]) -> AmbiguousOperatorError:
    """Return the error for a name that several distributions provide."""
    found = sorted(providers)
    return AmbiguousOperatorError(
        f"{noun} {name!r} is provided by {', '.join(found)}. Choose one before its first use: set "
        f"{' or '.join(pin_line(name, text) for text in found)}, run "
        f"`opforge plugins pin {name} {found[0]}`, use `with opforge.prefer({found[0]!r}):`, "
        f"or the full name {found[0]}::{name}"
    )


def pinned_error(
    noun: str, name: FullName, wanted: str, providers: Iterable[str], report: str = ""
) -> PluginError:
    """Return the error for a pin, or a full name, whose distribution does not provide the name."""
    found = ", ".join(sorted(providers)) or "none"
    selected = "requested from" if name.provider else "pinned to"
    unpin = f"Correct OPFORGE_PIN, run `opforge plugins unpin {name.name}`, or "
    text = (
        f"{noun} {name.name!r} is {selected} {wanted}, which is not installed, disabled, or does "
        f"not provide it; providers: {found}. {'' if name.provider else unpin}pip install {wanted}"
    )
    return PluginError(f"{text}\n{report}" if report else text)


def version_error(noun: str, name: FullName, entries: Iterable[Entry]) -> OperatorNotFoundError:
    """Return the error for a version that the provider does not have."""
    found = list(entries)
    versions = ", ".join(str(entry.operator_version) for entry in found)
    newer = name.version is not None and name.version > found[-1].operator_version
    return OperatorNotFoundError(
        f"{noun} {name.name!r} of {found[-1].provider_text} has no version {name.version}; it has "
        f"{versions}. "
        + (f"pip install -U {found[-1].provider}" if newer else f"Use {found[-1].versioned_name}")
    )


def _close_names(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three similar names, ignoring case."""
    folded: dict[str, str] = {}
    for candidate in sorted(known, reverse=True):  # softmax before Softmax
        folded.setdefault(candidate.lower(), candidate)
    return [folded[match] for match in close_names(name.lower(), folded, cutoff=0.65)]


def _with_source(name: str, known: set[str], catalogue: dict[str, str]) -> str:
    """Return `name`, followed by the command that installs it if it is not installed."""
    return name if name in known else f"{name} (pip install {catalogue[name]})"
