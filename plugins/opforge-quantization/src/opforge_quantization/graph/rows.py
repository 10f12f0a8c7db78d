"""Graphs in the form in which symbols are saved, which the passes of this package change."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from opforge.plugin_api import sym

__all__ = ["Entry", "Graph", "Node"]


class Entry(NamedTuple):
    """An output of a node."""

    node: "Node"
    output: int = 0

    @property
    def name(self) -> str:
        """Name of the output, as in `Symbol.list_outputs`."""
        outputs = self.node.output_names
        return outputs[self.output] if self.output < len(outputs) else f"{self.node.name}_output"


@dataclass(eq=False)
class Node:
    """A variable or a call of an operator.

    Parameters
    ----------
    operator : str
        Empty for a variable.
    name : str
    attributes : dict of str to str
    inputs : list of Entry
    output_names : sequence of str
        Names of the outputs; without them, all are called ``output``.
    rest : dict
        Other fields of the row, such as subgraphs of control flow.
    """

    operator: str
    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    inputs: list[Entry] = field(default_factory=list)
    output_names: Sequence[str] = ()
    rest: dict[str, Any] = field(default_factory=dict)

    @property
    def is_variable(self) -> bool:
        """True for an input of the graph."""
        return not self.operator


class Graph:
    """Outputs of nodes.

    Parameters
    ----------
    outputs : list of Entry
    attributes : dict
        Those of the saved graph.
    """

    def __init__(self, outputs: Sequence[Entry], attributes: dict[str, Any]) -> None:
        self.outputs = list(outputs)
        self.attributes = attributes

    @staticmethod
    def of(symbol: Any) -> "Graph":
        """Return the graph of a symbol."""
        saved = json.loads(symbol.tojson(remove_amp_cast=False))
        made: list[Node] = []
        for row, node in zip(saved["nodes"], symbol.nodes(), strict=True):
            rest = {key: value for key, value in row.items() if key not in _FIELDS}
            operator = "" if row["op"] == "null" else row["op"]
            inputs = [Entry(made[at], index) for at, index, *_ in row["inputs"]]
            names = node.output_names()
            made.append(Node(operator, row["name"], row.get("attrs", {}), inputs, names, rest))
        outputs = [Entry(made[at], index) for at, index, *_ in saved["heads"]]
        return Graph(outputs, saved.get("attrs", {}))

    def nodes(self) -> list[Node]:
        """Return all nodes in topological order, depth first."""
        order: list[Node] = []
        seen: set[Node] = set()
        for output in self.outputs:
            if output.node in seen:
                continue
            seen.add(output.node)
            stack: list[tuple[Node, Iterator[Entry]]] = [(output.node, iter(output.node.inputs))]
            while stack:
                node, rest = stack[-1]
                found = next((entry.node for entry in rest if entry.node not in seen), None)
                if found is None:
                    order.append(node)
                    stack.pop()
                else:
                    seen.add(found)
                    stack.append((found, iter(found.inputs)))
        return order

    def symbol(self) -> Any:
        """Return the symbol of the graph."""
        order = self.nodes()
        position = {node: at for at, node in enumerate(order)}
        rows = [
            {
                "op": node.operator or "null",
                "name": node.name,
                "attrs": node.attributes,
                "inputs": [[position[entry.node], entry.output, 0] for entry in node.inputs],
                **node.rest,
            }
            for node in order
        ]
        heads = [[position[entry.node], entry.output, 0] for entry in self.outputs]
        variables = [at for at, node in enumerate(order) if node.is_variable]
        saved = {"nodes": rows, "arg_nodes": variables, "heads": heads, "attrs": self.attributes}
        return sym.load_json(json.dumps(saved))


_FIELDS = ("op", "name", "attrs", "inputs")
