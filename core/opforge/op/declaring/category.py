"""`Category`: what kind of operator a declaration is, for pictures and lists.

Nothing is computed from it: who draws or sorts operators asks for their category, so that no list
of operators' names is kept anywhere.
"""

from collections.abc import Mapping
from typing import Any, Literal, get_args

__all__ = ["CATEGORIES", "MEANINGS", "Category", "check_category"]

Category = Literal[
    "",
    "linear",
    "activation",
    "normalization",
    "pooling",
    "loss",
    "vision",
    "elementwise",
    "reduction",
    "shape",
    "selection",
    "random",
    "update",
]

#: What each means, in the order of lists; none of these is "".
MEANINGS: Mapping[Category, str] = {
    "linear": "products with weights, as of fully connected layers and convolutions",
    "activation": "functions between two layers, of each element or along an axis",
    "normalization": "mean, variance or range are made equal",
    "pooling": "neighbours become one",
    "loss": "what training makes small, and outputs that bring their loss with them",
    "vision": "boxes, regions and colours of pictures",
    "elementwise": "arithmetic, functions and comparisons, element by element",
    "reduction": "many elements become one: sums, means, extremes",
    "shape": "the same elements in other places",
    "selection": "elements by position or order",
    "random": "drawn numbers",
    "update": "steps of optimizers",
}

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
