"""Nodes of MXNet's backend MKLDNN in symbol files, read as fused layers.

MXNet keeps the fused operators of such a node in a subgraph.
"""

from collections.abc import Sequence
from typing import Any

from opforge.plugin_api import AttributeValueError

from .rows import Graph, Node

__all__ = ["read_convolution", "read_fully_connected"]

Text = dict[str, str]
_OPTIONS = ("quantized", "min_calib_range", "max_calib_range", "with_bn", "with_sum")


def read_convolution(
    operator: str, attributes: Text, count: int, graphs: Sequence[Any] = ()
) -> tuple[str, Text]:
    """Return the operator and the attributes for a node ``_sg_mkldnn_conv``.

    Parameters
    ----------
    operator : str
    attributes : dict of str to str
    count : int
        Number of inputs.
    graphs : sequence of Symbol
        The subgraph.

    Raises
    ------
    AttributeValueError
        The subgraph is not that of a convolution.
    """
    nodes = _operators(operator, graphs)
    conv = _only(operator, nodes, "Convolution")
    window = ("kernel", "stride", "dilate", "pad", "num_filter", "num_group", "no_bias")
    found = _select(conv.attributes, window) | _select(attributes, _OPTIONS)
    if found.get("with_bn", "false").lower() in ("true", "1"):
        found |= _select(_only(operator, nodes, "BatchNorm").attributes, ("eps", "fix_gamma"))
    return "_fused_convolution", found | _activation(operator, nodes)


def read_fully_connected(
    operator: str, attributes: Text, count: int, graphs: Sequence[Any] = ()
) -> tuple[str, Text]:
    """Return the operator and the attributes for a node ``_sg_mkldnn_fully_connected``.

    Parameters
    ----------
    operator : str
    attributes : dict of str to str
    count : int
        Number of inputs.
    graphs : sequence of Symbol
        The subgraph.

    Raises
    ------
    AttributeValueError
        The subgraph is not that of a fully connected layer.
    """
    nodes = _operators(operator, graphs)
    dense = _only(operator, nodes, "FullyConnected")
    found = _select(dense.attributes, ("num_hidden", "no_bias", "flatten"))
    found |= _select(attributes, (*_OPTIONS[:3], "enable_float_output"))
    return "_fused_fully_connected", found | _activation(operator, nodes)


def _operators(operator: str, graphs: Sequence[Any]) -> list[Node]:
    """Return the calls of operators of the subgraph."""
    if len(graphs) != 1:
        raise AttributeValueError(
            f"operator {operator!r} of MXNet has {len(graphs)} subgraphs, expected 1"
        )
    return [node for node in Graph.of(graphs[0]).nodes() if not node.is_variable]


def _only(operator: str, nodes: Sequence[Node], kind: str) -> Node:
    found = [node for node in nodes if node.operator == kind]
    if len(found) != 1:
        kinds = ", ".join(node.operator for node in nodes)
        raise AttributeValueError(
            f"operator {operator!r} of MXNet has a subgraph of {kinds or 'no operators'}; expected "
            f"one {kind}"
        )
    return found[0]


def _select(attributes: Text, names: Sequence[str]) -> Text:
    return {name: attributes[name] for name in names if name in attributes}


def _activation(operator: str, nodes: Sequence[Node]) -> Text:
    """Return the activation of the result, from the last operator of the subgraph."""
    last = nodes[-1]
    given = last.attributes
    if last.operator == "Activation":
        return {"act_type": given["act_type"]}
    if last.operator == "LeakyReLU":
        slope = _select(given, ("slope",)).get("slope", "0.25")
        return {"act_type": given.get("act_type", "leaky"), "act_number": slope}
    if last.operator == "clip":
        return {"act_type": "clip", "act_number": given["a_max"]}
    if last.operator in ("Convolution", "FullyConnected", "BatchNorm", "elemwise_add"):
        return {}
    raise AttributeValueError(
        f"operator {operator!r} of MXNet ends with {last.operator}, which opforge does not fuse"
    )
