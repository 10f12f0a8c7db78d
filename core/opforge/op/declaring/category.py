"""`Category`: what kind of operator a declaration is, for pictures and lists.

Nothing is computed from it: who draws or sorts operators asks for their category, so that no list
of operators' names is kept anywhere.
"""

from typing import Any, Literal, get_args

__all__ = ["CATEGORIES", "Category", "check_category"]

#: - ``linear``: products with weights, as of fully connected layers and convolutions.
#: - ``activation``: functions between two layers, of each element or along an axis.
#: - ``normalization``: mean, variance or range are made equal.
#: - ``pooling``: neighbours become one.
#: - ``shape``: the same elements in other places.
#: - ``loss``: what training makes small, and outputs that bring their loss with them.
#: - empty: none of these.
Category = Literal["", "linear", "activation", "normalization", "pooling", "shape", "loss"]

CATEGORIES: tuple[str, ...] = get_args(Category)


def check_category(where: str, value: Any) -> None:
    """Refuse what is no category.

    Parameters
    ----------
    where : str
        The declaration, as the error calls it.
    value : object

    Raises
    ------
    TypeError
        `value` is none of `CATEGORIES`.
    """
    if value not in CATEGORIES:
        words = ", ".join(repr(word) for word in CATEGORIES if word)
        raise TypeError(f"{where}: category is {value!r}, expected one of {words}, or ''")
