"""Named attributes of operators: any key, and all values under one key are of one kind.

Who reads a key, a pass for instance, may then rely on what it gets. The first value under a key
decides its kind; everything that can be called counts as a function.
"""

from collections.abc import Mapping
from typing import Any

from ...base.errors import OpforgeError

__all__ = ["check_kinds"]

#: Key -> (kind, operator) of the first value. Pairs that may share memory are stated by all
#: operators of the core, and NNVM's registrations give a function of the attributes instead.
_kinds: dict[str, tuple[str, str]] = {}
_TWO_KINDS = {"FInplaceOption": frozenset({"list", "function"})}


def check_kinds(operator: str, attrs: Mapping[str, Any]) -> None:
    """Refuse values whose kind differs from what other operators have under the same key.

    Raises
    ------
    OpforgeError
        The kinds differ; the message names the operator that had the key first.
    """
    for key, value in attrs.items():
        kind = _kind(value)
        if kind in _TWO_KINDS.get(key, ()):
            continue
        known, first = _kinds.setdefault(key, (kind, operator))
        if kind != known:
            raise OpforgeError(
                f"operator '{operator}': attribute {key!r} is {value!r:.60}, of the kind {kind}, "
                f"but operator '{first}' has a {known} under this key; all values under one key "
                "are of one kind"
            )


def _kind(value: Any) -> str:
    if callable(value) and not isinstance(value, type):
        return "function"
    return type(value).__name__
