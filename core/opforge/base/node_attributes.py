"""Attributes that any node of a graph may carry, independent of its operator. Layer 0."""

from collections.abc import Iterable

from .name_hints import argument_hint

__all__ = ["HIDDEN", "expect_private", "is_free", "is_private"]

#: MXNet's own attributes: written without underscores, stored with them.
HIDDEN = ("ctx_group", "lr_mult", "wd_mult", "force_mirroring", "mirror_stage")


def is_private(key: str) -> bool:
    """Return whether a name begins and ends with two underscores, as no operator attribute does.

    Examples
    --------
    >>> is_private("__layout__"), is_private("lr_mult"), is_private("____")
    (True, False, False)
    """
    return len(key) > 4 and key.startswith("__") and key.endswith("__")


def is_free(key: str) -> bool:
    """Return whether any node may carry an attribute of this name.

    Examples
    --------
    >>> is_free("__layout__"), is_free("lr_mult"), is_free("axis")
    (True, True, False)
    """
    return key in HIDDEN or is_private(key)


def expect_private(function: str, attributes: Iterable[str]) -> None:
    """Reject keyword arguments of an array function except private node attributes.

    Recurrent cells create their states by the same call for arrays and for symbols; the latter take
    a ``__layout__``.

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
            raise TypeError(
                f"{function}() got an unexpected keyword argument {key!r}"
                f"{argument_hint(key, ('ctx', 'dtype', 'shape'))}"
            )
