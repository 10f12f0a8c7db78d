"""Errors of name resolution: not found, ambiguous, wrongly pinned.

Each says what to type next: the close names, the line that installs, the line that pins.
"""

from collections.abc import Iterable

from ...base.errors import AmbiguousOperatorError, OperatorNotFoundError, PluginError
from ...base.spelling import close_names
from .catalogue import providers as known_providers
from .entry import Entry
from .naming import FullName, pin_line

__all__ = ["ambiguous_error", "not_found_error", "offer", "pinned_error", "version_error"]


def not_found_error(
    noun: str, name: str, known: Iterable[str], report: str = ""
) -> OperatorNotFoundError:
    """Return the error for a name that nobody provides.

    Parameters
    ----------
    noun : str
        Of `op.registry.kinds`, or "custom operator".
    name : str
    known : iterable of str
        Names that exist.
    report : str
        What is wrong with installed plugins, if anything.
    """
    is_custom = noun == "custom operator"
    # MXNet's wording for nd.Custom, which programs may search for.
    first = f"Cannot find custom operator {name}"
    known = set(known)
    catalogue, problem = known_providers(noun)
    if not is_custom:
        first = f"no enabled plugin provides the {noun} {name!r}"
        if name not in catalogue and not report:
            first = f"opforge has no {noun} {name!r}, and no plugin that it knows of brings one"
    lines = [first]
    if name in catalogue:
        lines.append(offer(catalogue[name], report))
    else:
        close = _close_names(name, {*known, *catalogue} - {name})
        if close:
            words = [_with_source(text, known, catalogue) for text in close]
            lines.append(f"close names: {', '.join(words)}")
        if is_custom:
            lines.append(f"register it first: @opforge.operator.register({name!r})")
    lines += filter(None, (problem, report))
    return OperatorNotFoundError("\n".join(lines))


def offer(distribution: str, report: str = "") -> str:
    """Return the sentence that a distribution provides what is missing, and how to install it.

    Examples
    --------
    >>> offer("opforge-tile")
    'opforge-tile provides it: pip install opforge-tile'
    """
    # One that is in the report is installed already, and the report says what to do.
    install = "" if distribution in report else f": pip install {distribution}"
    return f"{distribution} provides it{install}"


def ambiguous_error(noun: str, name: str, providers: Iterable[str]) -> AmbiguousOperatorError:
    """Return the error for a name that several distributions provide."""
    found = sorted(providers)
    return AmbiguousOperatorError(
        f"{noun} {name!r} is provided by {', '.join(found)}. Choose one before it is first used: "
        f"{' or '.join(pin_line(name, text) for text in found)}, for good with "
        f"`opforge plugins pin {name} {found[0]}`, inside `with opforge.prefer({found[0]!r}):`, "
        f"or by its full name {found[0]}::{name}"
    )


def pinned_error(
    noun: str, name: FullName, wanted: str, providers: Iterable[str], report: str = ""
) -> PluginError:
    """Return the error for a pin, or a full name, whose distribution does not provide the name."""
    found = ", ".join(sorted(providers)) or "none"
    asked = "asked of" if name.provider else "pinned to"
    unpin = f"Correct OPFORGE_PIN, `opforge plugins unpin {name.name}`, or "
    text = (
        f"{noun} {name.name!r} is {asked} {wanted}, which is not installed, not enabled, or does "
        f"not provide it; providers: {found}. {'' if name.provider else unpin}pip install {wanted}"
    )
    return PluginError(f"{text}\n{report}" if report else text)


def version_error(noun: str, name: FullName, entries: Iterable[Entry]) -> OperatorNotFoundError:
    """Return the error for a version that the provider of a name does not have."""
    found = list(entries)
    versions = ", ".join(str(entry.operator_version) for entry in found)
    newer = name.version is not None and name.version > found[-1].operator_version
    return OperatorNotFoundError(
        f"{noun} {name.name!r} of {found[-1].provider_text} has no version {name.version}; it has "
        f"{versions}. "
        + (f"pip install -U {found[-1].provider}" if newer else f"Use {found[-1].versioned_name}")
    )


def _close_names(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three names that `name` may be meant for, ignoring case."""
    folded: dict[str, str] = {}
    for candidate in sorted(known, reverse=True):  # softmax before Softmax
        folded.setdefault(candidate.lower(), candidate)
    return [folded[match] for match in close_names(name.lower(), folded, cutoff=0.65)]


def _with_source(name: str, known: set[str], catalogue: dict[str, str]) -> str:
    """Return `name`, with the line that installs it where it is only in the catalogue."""
    return name if name in known else f"{name} (pip install {catalogue[name]})"
