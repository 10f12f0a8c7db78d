"""Gradients that turns of a loop add up: where they are products, one product of all rows.

A weight's gradient is, in each turn, a product of matrices over few rows, as large as the weight.
The sum over the turns is the product of the matrices with the rows of all turns, which is computed
once, in the time of a few. So the turns leave behind what would have been multiplied. Products of
many rows gain nothing: each turn adds its own, as gradients are added that are requested by "add".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..node import Edge
from .terms import can_add, has_few_rows, sums_rows

__all__ = ["SUM", "Product", "split_products"]

#: The request for a gradient that is added to what its array holds, turn after turn.
SUM = "sum"


@dataclass(frozen=True, slots=True)
class Product:
    """A sum over turns of the products of two values.

    Parameters
    ----------
    left, right : str
        Under which names the values are among the gradients of a blueprint.
    compute : Computation
        The product.
    """

    left: str
    right: str
    compute: Any


def split_products(
    grads: Mapping[str, Edge], requests: Mapping[str, str]
) -> tuple[dict[str, Edge], dict[str, str], dict[str, Product]]:
    """Return gradients, requests and products; other sums are requested by "add".

    Parameters
    ----------
    grads : dict of str to (Node, int)
        Of a graph that is compiled.
    requests : dict of str to {"write", "add", "sum"}
    """
    found: dict[str, Edge] = {}
    asked = {name: "add" if request == SUM else request for name, request in requests.items()}
    products: dict[str, Product] = {}
    names: dict[Edge, str] = {}
    longest = max((len(name) for name in requests), default=0)
    for name, edge in grads.items():
        if requests[name] != SUM or not _is_left_behind(edge):
            found[name] = edge
            continue
        for source in edge[0].inputs:
            key = names.setdefault(source, f"operand{len(names):0{longest}}")
            found[key], asked[key] = source, "write"
        left, right = (names[source] for source in edge[0].inputs)
        products[name] = Product(left, right, edge[0].plan.compute)
    return found, asked, products


def _is_left_behind(edge: Edge) -> bool:
    """Tell whether turns leave behind what a gradient is the product of."""
    return sums_rows(edge) and (has_few_rows(edge) or not can_add(edge))
