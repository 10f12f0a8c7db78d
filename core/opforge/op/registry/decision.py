"""Choice of the distribution that provides a name, with the reason.

A decision uses names only. It loads nothing, and does not depend on the order of installation.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

from .entry import CORE
from .naming import FullName, normalize

__all__ = ["Decision", "Reason", "decide"]

#: The first six select a provider, the last three do not.
Reason = Literal[
    "full name",
    "preferred",
    "pinned",
    "primitive set",
    "only provider",
    "program",
    "ambiguous",
    "not a provider",
    "not installed",
]


class Decision(NamedTuple):
    """Provider of a name, and the reason for it.

    Parameters
    ----------
    name : FullName
        Name as requested.
    reason : Reason
    provider : str
        The distribution; if the reason is "not a provider", the requested or pinned one; otherwise
        empty.
    candidates : tuple of str
        Enabled distributions that have the name, sorted, with the core first.
    """

    name: FullName
    reason: Reason
    provider: str = ""
    candidates: tuple[str, ...] = ()


def decide(
    name: FullName,
    in_core: bool,
    candidates: Callable[[], Mapping[str, str]],
    preferred: Sequence[str] = (),
    pin: str | None = None,
) -> Decision:
    """Resolve a name by its own provider, a preference, a pin or the primitive set, in this order.

    Parameters
    ----------
    name : FullName
    in_core : bool
        Whether the primitive set has it.
    candidates : callable
        Returns the enabled distributions that have it, by normalized name. It may read metadata,
        and is called only if necessary.
    preferred : sequence of str
        Normalized names of distributions, the most preferred first.
    pin : str, optional

    Examples
    --------
    >>> name = FullName(None, "softmax", None)
    >>> decide(name, False, lambda: {"acme": "acme", "best": "best"}, pin="best").reason
    'pinned'
    >>> decide(name, False, lambda: {"acme": "acme", "best": "best"}).reason
    'ambiguous'
    """
    wanted = name.provider or (None if preferred else pin)
    if in_core and (wanted is None or normalize(wanted) == CORE) and not preferred:
        reason: Reason = "primitive set" if wanted is None else _selection(name)
        return Decision(name, reason, CORE, (CORE,))
    found = candidates()
    listed = tuple(sorted(found.values(), key=lambda text: (text != CORE, text)))
    first = next((key for key in preferred if key in found), None)
    if name.provider is None and first is not None:
        return Decision(name, "preferred", found[first], listed)
    wanted = name.provider or pin
    if wanted is not None:
        if normalize(wanted) in found:
            return Decision(name, _selection(name), found[normalize(wanted)], listed)
        return Decision(name, "not a provider", wanted, listed)
    if in_core:
        return Decision(name, "primitive set", CORE, listed)
    if len(found) == 1:
        return Decision(name, "only provider", listed[0], listed)
    return Decision(name, "ambiguous" if found else "not installed", "", listed)


def _selection(name: FullName) -> Reason:
    return "full name" if name.provider else "pinned"
