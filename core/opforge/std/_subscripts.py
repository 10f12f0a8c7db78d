"""Parsing of einsum subscripts, and the order of the products.

The rules are NumPy's: ``einsum("ij,jk->ik", a, b)``; without ``->``, the result has the labels that
appear once, in alphabetical order; an ellipsis stands for the unlabeled axes, which broadcast.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..base.errors import AttributeValueError
from ._operator import shape_error

__all__ = ["Contraction", "contraction"]

Shape = tuple[int, ...]

_ELLIPSIS = "..."
#: Code point of the label of the last axis of an ellipsis; not a letter that users can write.
_FIRST_OF_ELLIPSIS = 0x2460


class Contraction(NamedTuple):
    """Parsed subscripts for operands of given shapes.

    Parameters
    ----------
    inputs : tuple of str
        Labels of the axes of each operand.
    output : str
        Labels of the axes of the result.
    lengths : dict of str to int
        Length of the axes with a label; in operands, the axis may have length 1 instead.
    order : tuple of tuple of int
        Positions of the operands to multiply next; their product is appended to the operands.
    """

    inputs: tuple[str, ...]
    output: str
    lengths: dict[str, int]
    order: tuple[tuple[int, ...], ...]


@lru_cache(maxsize=256)
def contraction(
    name: str, subscripts: str, shapes: tuple[Shape, ...], optimize: bool
) -> Contraction:
    """Parse subscripts for operands of known shapes.

    Parameters
    ----------
    name : str
        Name of the operator, for errors.
    subscripts : str
    shapes : tuple of tuple of int
    optimize : bool
        Use NumPy's greedy order, which needs the fewest multiplications, instead of left to right.

    Raises
    ------
    AttributeValueError
        The subscripts are malformed.
    ShapeError
        They do not match the shapes.
    """
    text = "".join(subscripts.split())
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(shapes):
        raise _subscripts_error(name, subscripts, f"names {len(terms)} operands, got {len(shapes)}")
    for term in [*terms, right]:
        rest = term.replace(_ELLIPSIS, "", 1)
        if rest and not (rest.isascii() and rest.isalpha()):
            raise _subscripts_error(
                name, subscripts, f"has {term!r}, expected letters and one '...'"
            )
    pairs = zip(terms, shapes, strict=True)
    inputs = tuple(_labels(name, at, *pair) for at, pair in enumerate(pairs))
    covered = max((_ellipsis_labels(labels) for labels in inputs), key=len)
    output = right.replace(_ELLIPSIS, covered) if arrow else covered + _implied_labels(left)
    _expect_known(name, subscripts, output, inputs)
    lengths = _lengths(name, inputs, shapes)
    return Contraction(inputs, output, lengths, _order(text, shapes, optimize))


def _subscripts_error(name: str, subscripts: str, text: str) -> AttributeValueError:
    return AttributeValueError(
        f"operator '{name}': subscripts {subscripts!r:.80} {text}; for instance, a matrix "
        "product is 'ij,jk->ik'"
    )


def _labels(name: str, position: int, term: str, shape: Shape) -> str:
    """Return the labels of the axes of an operand."""
    named = len(term.replace(_ELLIPSIS, ""))
    hidden = len(shape) - named
    if hidden < 0 or (hidden and _ELLIPSIS not in term):
        raise shape_error(
            name,
            f"the subscripts {term!r} of operand {position} name {named} axes, its shape {shape} "
            f"has {len(shape)}",
        )
    covered = "".join(chr(_FIRST_OF_ELLIPSIS + i) for i in reversed(range(hidden)))
    return term.replace(_ELLIPSIS, covered)


def _ellipsis_labels(labels: str) -> str:
    """Return the labels of axes of an ellipsis."""
    return "".join(label for label in labels if not label.isascii())


def _implied_labels(left: str) -> str:
    """Return the labels of the result without an arrow: those that appear once."""
    counts = Counter(label for label in left if label.isalpha())
    return "".join(sorted(label for label, count in counts.items() if count == 1))


def _expect_known(name: str, subscripts: str, output: str, inputs: Sequence[str]) -> None:
    known = set("".join(inputs))
    for label, count in Counter(output).items():
        if count > 1:
            raise _subscripts_error(
                name, subscripts, f"names the axis {label!r} of the result twice"
            )
        if label not in known:
            raise _subscripts_error(
                name, subscripts, f"has {label!r} in the result, but in no operand"
            )


def _lengths(name: str, inputs: Sequence[str], shapes: Sequence[Shape]) -> dict[str, int]:
    lengths: dict[str, int] = {}
    for labels, shape in zip(inputs, shapes, strict=True):
        own: dict[str, int] = {}
        for label, length in zip(labels, shape, strict=True):
            known = lengths.setdefault(label, length)
            if own.setdefault(label, length) != length or (
                known != length and 1 not in (known, length)
            ):
                said = label if label.isascii() else _ELLIPSIS
                raise shape_error(
                    name,
                    f"the axes {said!r} have {known} and {length} elements (shapes "
                    f"{', '.join(map(str, shapes))}), expected equal numbers, or 1 in one operand",
                )
            if known == 1:
                lengths[label] = length
    return lengths


def _order(text: str, shapes: Sequence[Shape], optimize: bool) -> tuple[tuple[int, ...], ...]:
    count = len(shapes)
    if not optimize or count < 3:
        return ((0, 1), *((0, count - at) for at in range(2, count))) if count > 1 else ()
    # The search needs only shapes, so the arrays are views of a single element.
    views = [np.broadcast_to(np.float32(0), shape) for shape in shapes]
    return tuple(map(tuple, np.einsum_path(text, *views, optimize="greedy")[0][1:]))
