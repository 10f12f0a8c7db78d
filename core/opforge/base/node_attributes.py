"""Attributes that any node of a graph may carry, whatever its operator is. Layer 0."""

from collections.abc import Iterable

__all__ = ["HIDDEN", "expect_private", "is_free", "is_private"]

#: Attributes of MXNet's own, written without underscores and kept with them.
HIDDEN = ("ctx_group", "lr_mult", "wd_mult", "force_mirroring", "mirror_stage")


def is_private(key: str) -> bool:
    """Tell whether a name begins and ends with two underscores: no operator's attribute does.

    Examples
    --------
    >>> is_private("__layout__"), is_private("lr_mult"), is_private("____")
    (True, False, False)
    """
    return len(key) > 4 and key.startswith("__") and key.endswith("__")


def is_free(key: str) -> bool:
    """Tell whether any node may carry an attribute of this name: operators have no such one.

    Examples
    --------
    >>> is_free("__layout__"), is_free("lr_mult"), is_free("axis")
    (True, True, False)
    """
    return key in HIDDEN or is_private(key)


def expect_private(function: str, attributes: Iterable[str]) -> None:
    """Refuse keywords of a function of arrays that are not what a node would carry.

    Recurrent cells make their states by one call for arrays and for symbols, which get a layout.

    Raises
    ------
    TypeError
        A name does not begin and end with two underscores.

    Examples
    --------
    >>> expect_private("zeros", ["__layout__"])
    """
    for key in attributes:
        if not is_private(key):
            raise TypeError(f"{function}() got an unexpected keyword argument {key!r}")
