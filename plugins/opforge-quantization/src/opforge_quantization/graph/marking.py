"""Selection of the nodes of a graph to be quantized."""

from collections.abc import Callable, Collection, Iterable

from .fusing import MARK
from .rows import Graph, Node
from .rules import Rule, rule_of

__all__ = ["quantized_nodes"]


def quantized_nodes(
    graph: Graph,
    mode: str,
    excluded_nodes: Collection[str],
    excluded_operators: Collection[str],
    is_calibrated: bool,
) -> dict[Node, Rule]:
    """Return the nodes to be quantized, with their rules.

    Parameters
    ----------
    graph : Graph
    mode : {"full", "smart"}
        full: all nodes with a quantized form; smart: those that do not pay only between others. In
        graphs with marks of `mark_layers`, full leaves out nodes between real numbers whose result
        would need its own range: the conversions cost more than they save.
    excluded_nodes, excluded_operators : collection of str
        Names of nodes and operators to leave out.
    is_calibrated : bool
        Whether ranges of results will be known.

    Raises
    ------
    ValueError
        The mode is another one.
    """
    if mode not in ("full", "smart"):
        raise ValueError(f"quantize_mode is {mode!r}; expected 'full' or 'smart'")
    order = graph.nodes()
    found: dict[Node, Rule] = {}
    for node in order:
        rule = rule_of(node)
        is_excluded = node.name in excluded_nodes or node.operator in excluded_operators
        if rule is None or is_excluded or (rule.needs_calibration and not is_calibrated):
            continue
        found[node] = rule
    is_full = mode == "full"
    if is_full and not any(MARK in node.attributes for node in order):
        return found
    users: dict[Node, list[Node]] = {}
    for node in order:
        for entry in node.inputs:
            users.setdefault(entry.node, []).append(node)
    supported = {node for node, rule in found.items() if not rule.pays}
    paying = [node for node, rule in found.items() if rule.pays]
    before = _reachable(paying, lambda node: [e.node for e in node.inputs], supported)
    after = _reachable(paying, lambda node: users.get(node, []), supported)
    between = before & after
    return {
        node: rule
        for node, rule in found.items()
        if rule.pays or node in between or (is_full and rule.keeps_range)
    }


def _reachable(
    starts: Iterable[Node], step: Callable[[Node], list[Node]], allowed: Collection[Node]
) -> set[Node]:
    """Return the allowed nodes that steps through allowed nodes reach."""
    found: set[Node] = set()
    waiting = list(starts)
    while waiting:
        for node in step(waiting.pop()):
            if node in allowed and node not in found:
                found.add(node)
                waiting.append(node)
    return found
