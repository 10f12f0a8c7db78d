"""Gradients summed over the iterations of a loop, computed as one product over all rows.

In each iteration, the gradient of a weight is a matrix product over few rows, as large as the
weight. Their sum is the product of the matrices with the rows of all iterations, which is computed
once in the time of a few iterations. Iterations therefore only store the operands. Products of
many rows gain nothing: each iteration accumulates its own, as for gradients requested with "add".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..node import Edge
from .accumulation import can_add, has_few_rows, sums_rows

__all__ = ["SUM", "Product", "split_products"]

#: Request for a gradient that is summed over the iterations of a loop.
SUM = "sum"


@dataclass(frozen=True, slots=True)
class Product:
    """A sum over loop iterations of the products of two values.

    Parameters
    ----------
    left, right : str
        Names of the operands among the gradients of a compiled graph.
    compute : Computation
        The product.
    """

    left: str
    right: str
    compute: Any


def split_products(
    grads: Mapping[str, Edge], requests: Mapping[str, str]
) -> tuple[dict[str, Edge], dict[str, str], dict[str, Product]]:
    """Return gradients, requests and products; other sums become requests with "add".

    Parameters
    ----------
    grads : dict of str to (Node, int)
        Gradients of a graph that is being compiled.
    requests : dict of str to {"write", "add", "sum"}
    """
    found: dict[str, Edge] = {}
    asked = {name: "add" if request == SUM else request for name, request in requests.items()}
    products: dict[str, Product] = {}
    names: dict[Edge, str] = {}
    longest = max(map(len, requests), default=0)
    for name, edge in grads.items():
        if requests[name] != SUM or not _is_deferred(edge):
            found[name] = edge
            continue
        for source in edge[0].inputs:
            key = names.setdefault(source, f"operand{len(names):0{longest}}")
            found[key], asked[key] = source, "write"
        left, right = (names[source] for source in edge[0].inputs)
        products[name] = Product(left, right, edge[0].plan.compute)
    return found, asked, products


def _is_deferred(edge: Edge) -> bool:
    """Return whether iterations store the operands of a gradient instead of computing it."""
    return sums_rows(edge) and (has_few_rows(edge) or not can_add(edge))
