"""`fold_batch_norms`: normalizations as part of the convolutions before them."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from opforge.plugin_api import F

from .rows import Entry, Graph, Node
from .rules import value_of

__all__ = ["fold_batch_norms"]

Arrays = Mapping[str, Any]


def fold_batch_norms(
    symbol: Any, args: Arrays, aux: Arrays, excluded: Collection[str] = ()
) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Return a network in which filters and biases include the normalization that follows.

    Predictions stay the same. A convolution whose result has other uses is left unchanged.

    Parameters
    ----------
    symbol : Symbol
    args, aux : mapping of str to NDArray
        Its parameters, which are not modified.
    excluded : collection of str
        Names of nodes and operators to leave unchanged.

    Returns
    -------
    Symbol, dict, dict
        The network and its parameters.
    """
    graph, arrays = Graph.of(symbol), {**args, **aux}
    uses = Counter(entry.node for node in graph.nodes() for entry in node.inputs)
    uses.update(entry.node for entry in graph.outputs)
    for node in graph.nodes():
        if _can_fold(node, uses, arrays, excluded):
            _fold(node, arrays)
    found = graph.symbol()
    names = {*found.list_arguments()}, {*found.list_auxiliary_states()}
    new = [{key: array for key, array in arrays.items() if key in kind} for kind in names]
    return found, new[0], new[1]


def _can_fold(
    node: Node, uses: Mapping[Node, int], arrays: Arrays, excluded: Collection[str]
) -> bool:
    if node.operator != "BatchNorm" or value_of(node, "output_mean_var", False):
        return False
    conv = node.inputs[0].node
    if conv.operator != "Convolution" or value_of(node, "axis", 1) != 1:
        return False
    if not {node.name, conv.name, node.operator, conv.operator}.isdisjoint(excluded):
        return False
    parameters = [entry.node for entry in (*conv.inputs[1:], *node.inputs[1:])]
    is_known = all(one.name in arrays and uses[one] == 1 for one in parameters)
    has_channels_last = str(value_of(conv, "layout", None)).endswith("C")
    return is_known and uses[conv] == 1 and not has_channels_last


def _fold(node: Node, arrays: dict[str, Any]) -> None:
    """Make a normalization the convolution before it, with other parameters."""
    conv = node.inputs[0].node
    gamma, beta, mean, variance = (arrays[entry.node.name] for entry in node.inputs[1:])
    scale = 1 / F.sqrt(variance + float(value_of(node, "eps", 1e-3)))
    if not value_of(node, "fix_gamma", True):
        scale = gamma * scale
    data, weight, *bias = conv.inputs
    filters = arrays[weight.node.name]
    old = arrays[bias[0].node.name] if bias else 0
    name = bias[0].node.name if bias else f"{conv.name}_bias"
    arrays[weight.node.name] = F.broadcast_mul(
        filters, scale.reshape((-1, *(1,) * (filters.ndim - 1)))
    )
    arrays[name] = beta + (old - mean) * scale
    node.operator, node.name, node.output_names = conv.operator, conv.name, conv.output_names
    node.attributes = {**conv.attributes, "no_bias": "False"}
    node.inputs = [data, weight, bias[0] if bias else Entry(Node("", name, output_names=[name]))]
