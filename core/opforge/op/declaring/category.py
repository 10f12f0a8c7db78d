"""`Category` of an operator, for drawings and lists.

It does not affect computation. Code that draws or sorts operators uses their category instead of
lists of names.
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

#: Description of each category except "", in display order.
MEANINGS: Mapping[Category, str] = {
    "linear": "products with weights, such as fully connected layers and convolutions",
    "activation": "activation functions, elementwise or along an axis",
    "normalization": "normalization of mean, variance or range",
    "pooling": "reduction of neighboring elements",
    "loss": "losses, and output layers with a built-in loss",
    "vision": "boxes, regions and colors of images",
    "elementwise": "elementwise arithmetic, functions and comparisons",
    "reduction": "reductions such as sum, mean and maximum",
    "shape": "rearrangement of elements",
    "selection": "selection of elements by index or order",
    "random": "random numbers",
    "update": "update steps of optimizers",
}

CATEGORIES: tuple[str, ...] = get_args(Category)


def check_category(where: str, value: Any) -> None:
    """Raise an error for an invalid category.

    Parameters
    ----------
    where : str
        Name of the declaration for the error message.
    value : object

    Raises
    ------
    TypeError
        `value` is not in `CATEGORIES`.
    """
    if value not in CATEGORIES:
        words = ", ".join(repr(word) for word in CATEGORIES if word)
        raise TypeError(f"{where}: category is {value!r}, expected one of {words}, or ''")
