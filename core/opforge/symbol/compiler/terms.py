"""Terms of sums: products of matrices over rows, which add to what their result's memory holds.

A sum of such products lies in one place from its first term on. That one is written there, or added
to what is there already, as a gradient is that is requested by "add"; the others are added.
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
    "adds_to_result",
    "beginning",
    "can_add",
    "few_rows",
    "has_few_rows",
    "sum_of",
    "sums_rows",
]

_FLOATING = (0, 1)  # float32, float64: what products are added in place in


@dataclass(frozen=True, slots=True)
class TermOperation:
    """A product that begins a sum, or is added to one where that lies.

    Parameters
    ----------
    plan : Plan
        Of the product.
    name : str
        For errors.
    begins : bool
        Otherwise the node's last input is the sum so far.
    """

    plan: Any
    name: str
    begins: bool

    num_visible = 1

    @property
    def n_arguments(self) -> int:
        """All inputs: there are no auxiliary states."""
        return 2 if self.begins else 3

    def output_names(self) -> list[str]:
        """Return the name of the output."""
        return ["output"]


def sum_of(products: Sequence[Node]) -> list[Node]:
    """Return nodes that add up products, each with the sum so far as its value.

    Parameters
    ----------
    products : sequence of Node
        Those that `can_add`.
    """
    terms: list[Node] = []
    for product in products:
        inputs = [*product.inputs, *((term, 0) for term in terms[-1:])]
        operation: Any = TermOperation(product.plan, product.name, begins=not terms)
        terms.append(Node(product.name, operation, inputs, types=list(product.types)))
    return terms


def beginning(edge: Edge) -> Edge:
    """Return the first term of a sum, which lies where that does; of another value, that value."""
    while isinstance(edge[0].operation, TermOperation) and not edge[0].operation.begins:
        edge = edge[0].inputs[-1]
    return edge


def can_add(edge: Edge) -> bool:
    """Tell whether a value is a product that can add to what its memory holds."""
    is_term = isinstance(edge[0].operation, TermOperation)
    return is_term or (edge[0].types[edge[1]].code in _FLOATING and sums_rows(edge))


def sums_rows(edge: Edge) -> bool:
    """Tell whether a value is a sum over the first axes of two inputs."""
    operation = edge[0].operation
    if not isinstance(operation, Operation) or not isinstance(edge[0].plan.compute, calls.Dot):
        return False
    return operation.prop.transpose_a and not operation.prop.transpose_b


def has_few_rows(edge: Edge) -> bool:
    """Tell whether a product is better computed together with others, as one of all their rows.

    Parameters
    ----------
    edge : (Node, int)
        A value that `sums_rows`.
    """
    left, right = (source.types[at].shape for source, at in edge[0].inputs)
    return few_rows(left[0], prod(left[1:]), prod(right[1:]))


def few_rows(rows: int, m: int, n: int) -> bool:
    """Tell whether rows of `m` and `n` elements are less to copy than a matrix of both is to read.

    Examples
    --------
    >>> few_rows(32, 128, 256), few_rows(128, 128, 256)
    (True, False)
    """
    return rows * (m + n) <= m * n


def adds_to_result(plan: Any) -> Any:
    """Return a product's computation with one more input, which is added: perhaps its result."""
    return plan.compute.with_epilogue(Epilogue([("add", ("full",), False)]))
