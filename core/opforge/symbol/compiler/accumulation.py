"""Accumulation: matrix products over rows that add to the content of their result's memory.

The terms of a sum of such products share one slot. The first term is written there, or added to the
previous content if the gradient is requested with "add"; the others are added.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from ...native import calls
from ...native.calls.epilogue import Epilogue
from ..node import Edge, Node, Operation

__all__ = [
    "TermOperation",
    "accumulating_computation",
    "can_add",
    "few_rows",
    "first_term",
    "has_few_rows",
    "sum_of",
    "sums_rows",
]

_FLOATING = (0, 1)  # float32, float64: the types in which products are accumulated


@dataclass(frozen=True, slots=True)
class TermOperation:
    """A product that begins a sum or is added to one in place.

    Parameters
    ----------
    plan : Plan
        Plan of the product.
    name : str
        For errors.
    begins : bool
        Whether this is the first term. If not, the node's last input is the sum so far.
    """

    plan: Any
    name: str
    begins: bool

    num_visible = 1

    @property
    def n_arguments(self) -> int:
        """Number of inputs; there are no auxiliary states."""
        return 2 if self.begins else 3

    def output_names(self) -> list[str]:
        """Return the name of the output."""
        return ["output"]


def sum_of(products: Sequence[Node]) -> list[Node]:
    """Return nodes that add up products, each with the sum so far as its value.

    Parameters
    ----------
    products : sequence of Node
        Products for which `can_add` holds.
    """
    terms: list[Node] = []
    for product in products:
        inputs = [*product.inputs, *((term, 0) for term in terms[-1:])]
        operation: Any = TermOperation(product.plan, product.name, begins=not terms)
        terms.append(Node(product.name, operation, inputs, types=list(product.types)))
    return terms


def first_term(edge: Edge) -> Edge:
    """Return the first term of the sum that `edge` belongs to; `edge` itself if it is not a sum."""
    while isinstance(edge[0].operation, TermOperation) and not edge[0].operation.begins:
        edge = edge[0].inputs[-1]
    return edge


def can_add(edge: Edge) -> bool:
    """Return whether a value is a product that can be accumulated into its memory."""
    is_term = isinstance(edge[0].operation, TermOperation)
    return is_term or (edge[0].types[edge[1]].code in _FLOATING and sums_rows(edge))


def sums_rows(edge: Edge) -> bool:
    """Return whether a value is a sum of products over the first axes of two inputs."""
    operation = edge[0].operation
    if not isinstance(operation, Operation) or not isinstance(edge[0].plan.compute, calls.Dot):
        return False
    return operation.prop.transpose_a and not operation.prop.transpose_b


def has_few_rows(edge: Edge) -> bool:
    """Return whether a product is better computed together with others, over all their rows.

    Parameters
    ----------
    edge : (Node, int)
        A value for which `sums_rows` holds.
    """
    left, right = (source.types[at].shape for source, at in edge[0].inputs)
    return few_rows(left[0], prod(left[1:]), prod(right[1:]))


def few_rows(rows: int, m: int, n: int) -> bool:
    """Return whether copying rows of `m` and `n` elements is cheaper than reading an m x n matrix.

    Examples
    --------
    >>> few_rows(32, 128, 256), few_rows(128, 128, 256)
    (True, False)
    """
    return rows * (m + n) <= m * n


def accumulating_computation(plan: Any) -> Any:
    """Return a product's computation with one more input that is added, possibly its result."""
    return plan.compute.with_epilogue(Epilogue([("add", ("full",), False)]))
