"""Storage types of gradients in a graph, inferred from those of its variables by MXNet's rules.

A gradient is sparse if an operator makes it sparse, such as `Embedding(sparse_grad=True)`, or if
all values it is computed from are sparse and zero maps to zero.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ...native.calls import Take
from ...op.declaring.both_protocols import declared_name
from ..node import Edge, Node
from ..symbol import Symbol

__all__ = ["gradient_storage"]

# Operators whose input gradient is the output gradient, up to a factor.
_PASSING = frozenset(
    {
        "_copy",
        "_div_scalar",
        "_minus_scalar",
        "_mul_scalar",
        "_plus_scalar",
        "cast_storage",
        "elemwise_add",
        "elemwise_sub",
        "negative",
    }
)
# Operators whose gradient is zero where the input is zero.
_FLAT_AT_ZERO = frozenset(
    {
        "BlockGrad",
        "abs",
        "ceil",
        "fix",
        "floor",
        "relu",
        "rint",
        "round",
        "sign",
        "square",
        "trunc",
    }
)


def gradient_storage(symbol: Symbol, stypes: Mapping[str, str]) -> dict[str, str]:
    """Return the storage types of variables' gradients by name; missing ones are dense.

    Parameters
    ----------
    symbol : Symbol
        With loops or branches, which do not take sparse arrays, everything is dense.
    stypes : dict of str to str
        Storage types of variables; missing ones are dense.

    Examples
    --------
    >>> from opforge import sym
    >>> y = sym.dot(sym.var("x"), sym.var("w"))
    >>> gradient_storage(y, {"x": "csr"})
    {'w': 'row_sparse'}
    """
    nodes = symbol.nodes()
    operations = [node.operation for node in nodes if node.operation is not None]
    is_dense = set(stypes.values()) <= {"default"}
    if is_dense and not any([_gives_rows(operation.prop) for operation in operations]):
        return {}
    if any(operation.subgraphs for operation in operations):
        return {}
    kinds: dict[Edge, str] = {}
    for node in nodes:
        given = _of_inputs(node, kinds)
        kinds[node, 0] = _of_result(node, given) if given else stypes.get(node.name, "default")
    flowing: dict[Edge, list[str]] = {edge: [kinds.get(edge, "default")] for edge in symbol.edges}
    for node in reversed(nodes):
        if node.is_variable or not any((node, at) in flowing for at in range(node.num_outputs)):
            continue
        given = _of_inputs(node, kinds)
        gradient = _of_sum(flowing.get((node, 0), ["default"]))
        for position, edge in enumerate(node.inputs):
            flowing.setdefault(edge, []).append(_of_gradient(node, position, gradient, given))
    found = {
        node.name: _of_sum(flowing[node, 0])
        for node in nodes
        if node.is_variable and (node, 0) in flowing
    }
    return {name: stype for name, stype in found.items() if stype != "default"}


def _prop(node: Node) -> Any:
    return None if node.operation is None else node.operation.prop


def _gives_rows(prop: Any) -> bool:
    """Return whether an operator takes rows of a table and returns sparse gradients for them."""
    is_wanted = getattr(prop, "sparse_grad", False)
    return bool(is_wanted) and isinstance(getattr(prop, "compute", None), Take)


def _of_inputs(node: Node, kinds: Mapping[Edge, str]) -> list[str]:
    return [kinds.get(edge, "default") for edge in node.inputs]


def _of_result(node: Node, given: Sequence[str]) -> str:
    """Return the storage type of a node's first output, as for calls on arrays."""
    from ...ndarray.sparse.calls import KEEPING_ZEROS

    prop = _prop(node)
    name = declared_name(prop)
    first = given[0]
    if name in KEEPING_ZEROS or name in {"_mul_scalar", "_div_scalar"}:
        return first
    if name in {"_plus_scalar", "_minus_scalar"}:
        return first if prop.scalar == 0 else "default"
    if name in {"elemwise_add", "elemwise_sub"}:
        return first if set(given) == {first} else "default"
    if name == "elemwise_mul":
        sparse = {*given} - {"default"}
        return sparse.pop() if len(sparse) == 1 else "default"
    if name == "cast_storage":
        return str(prop.stype)
    return first if name == "_sparse_retain" else "default"


def _of_gradient(node: Node, position: int, gradient: str, given: Sequence[str]) -> str:
    """Return the storage type of the gradient that a node passes to one of its inputs.

    Parameters
    ----------
    node : Node
    position : int
        Position of the input.
    gradient : str
        Storage type of the gradient of the node's output.
    given : sequence of str
        Storage types of the inputs.
    """
    prop = _prop(node)
    name = declared_name(prop)
    if name in _PASSING:
        return gradient
    if name in _FLAT_AT_ZERO:
        return gradient if gradient == given[0] else "default"
    if name == "dot":
        is_transposed = prop.transpose_a or prop.transpose_b
        return (
            "row_sparse" if position == 1 and given[0] == "csr" and not is_transposed else "default"
        )
    if name in {"_square_sum", "_sparse_retain"}:
        return "row_sparse" if position == 0 and given[0] == "row_sparse" else "default"
    if _gives_rows(prop):
        return "row_sparse" if position == (1 if prop.compute.indices_first else 0) else "default"
    return "default"


def _of_sum(parts: Sequence[str]) -> str:
    """Return the storage type of a sum: dense, unless all of several terms are row_sparse."""
    if len(parts) == 1 or set(parts) == {"row_sparse"}:
        return parts[0]
    return "default"
