"""Serialization of symbols: MXNet 1.9.1's JSON, and the listing of `Symbol.debug_str`.

The JSON equals MXNet's to the byte, so that files can be compared; operators beyond the primitive
ones add a bill of materials. Invariant: only subgraphs are processed recursively, so a graph may
be arbitrarily deep.
"""

import os
from collections.abc import Iterable, Sequence, Set

from ...base.files import replacing
from ...base.numpy_semantics import is_np_shape
from ..node import Edge, Node, topological, with_subgraphs
from .amp_casts import without_amp_casts
from .bill_of_materials import BILL, bill_of, contested_names

__all__ = ["MXNET_VERSION", "OPERATOR_PROVIDER", "OPERATOR_VERSION", "SavedSymbol"]

#: Version of MXNet that files declare: 1.9.1.
MXNET_VERSION = 10901
#: Node attribute with the version of the operator's semantics, if it is not 1.
OPERATOR_VERSION = "__operator_version__"
#: Node attribute with the provider, if the graph uses the operator from several.
OPERATOR_PROVIDER = "__operator_provider__"
#: From this length on, MXNet writes one element per line.
_LONG = 11

_ESCAPES = str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"})


class SavedSymbol:
    """Methods of symbols that save them."""

    __slots__ = ()

    edges: tuple[Edge, ...]

    def tojson(self, remove_amp_cast: bool = True) -> str:
        """Return the graph as JSON, which MXNet 1.9.1 reads as well.

        It contains the plugins, with versions, that provide the graph's operators; loading checks
        those first.

        Parameters
        ----------
        remove_amp_cast : bool, default True
            Whether to remove the conversions that `contrib.amp` inserted.

        Examples
        --------
        >>> from opforge import sym
        >>> sym.load_json(sym.exp(sym.var("x"), name="y").tojson())
        <Symbol y>
        """
        edges = without_amp_casts(self.edges) if remove_amp_cast else self.edges
        every = with_subgraphs(topological(edges))
        fields = _graph_fields(edges, contested_names(every), 0)
        return _object([*fields, ("attrs", _graph_attributes(every))], 0)

    def save(self, fname: "str | os.PathLike[str]", remove_amp_cast: bool = True) -> None:
        """Write the graph to a file; see `tojson`.

        Parameters
        ----------
        fname : str or path
            Replaced atomically: an interrupted save leaves the previous file unchanged.
        remove_amp_cast : bool, default True
            As for `tojson`.
        """
        if not isinstance(fname, str | os.PathLike):
            raise TypeError(f"fname need to be string, got {type(fname).__name__}")
        content = self.tojson(remove_amp_cast).encode()
        with replacing(fname) as file:
            file.write(content)

    def debug_str(self) -> str:
        """Return a listing of the graph: every node with its inputs and attributes.

        Examples
        --------
        >>> from opforge import sym
        >>> print(sym.exp(sym.var("x"), name="y").debug_str().expandtabs(4), end="")
        Symbol Outputs:
            output[0]=y(0)
        Variable:x
        --------------------
        Op:exp, Name=y
        Inputs:
            arg[0]=x(0) version=0
        """
        lines = ["Symbol Outputs:"]
        lines += [f"\toutput[{at}]={n.name}({i})" for at, (n, i) in enumerate(self.edges)]
        order = topological(self.edges)
        versions = _input_versions(order)
        for node in order:
            lines += _listing(node, versions[id(node)])
        return "\n".join(lines) + "\n"


def _graph_fields(edges: Sequence[Edge], contested: Set[str], indent: int) -> list[tuple[str, str]]:
    """Return the JSON fields of a graph or subgraph."""
    order = topological(edges)
    index = {id(node): at for at, node in enumerate(order)}
    versions = _input_versions(order)
    rows = [0]
    for node in order:
        rows.append(rows[-1] + node.num_outputs)
    heads = [(index[id(node)], at, 0) for node, at in edges]
    inner = indent + 2
    nodes = [_node_text(n, index, versions[id(n)], contested, inner + 2) for n in order]
    variables = [str(at) for at, node in enumerate(order) if node.is_variable]
    counts = [str(row) for row in rows]
    return [
        ("nodes", _array(nodes, inner, bool(nodes))),
        ("arg_nodes", _array(variables, inner, len(variables) >= _LONG)),
        ("node_row_ptr", _array(counts, inner, len(counts) >= _LONG)),
        ("heads", _entries(heads, inner)),
    ]


def _graph_attributes(order: Iterable[Node]) -> str:
    version = f'["int", {MXNET_VERSION}]'
    bill = [_string(material.tojson()) for material in bill_of(order)]
    fields = [("mxnet_version", version)]
    if is_np_shape():
        fields.insert(0, ("is_np_shape", '["int", 1]'))
    if bill:
        fields.append((BILL, f'["list_str", {_array(bill, 4, True)}]'))
    if len(fields) == 1:
        return f'{{"mxnet_version": {version}}}'
    return _object(fields, 2)


def _saved_attributes(node: Node, contested: Set[str] = frozenset()) -> dict[str, str]:
    """Return the attributes of a node to save: those of the operator and of the node."""
    if node.operation is None:
        return dict(sorted(node.attrs.items()))
    entry = node.operation.entry
    version = getattr(entry.prop_class, "version", 1)
    kept = {} if version == 1 else {OPERATOR_VERSION: str(version)}
    if node.operation.name in contested:
        kept[OPERATOR_PROVIDER] = entry.provider
    return dict(sorted({**node.operation.attributes, **node.attrs, **kept}.items()))


def _input_versions(order: Sequence[Node]) -> dict[int, list[int]]:
    """Return, for each node, how often each of its inputs has been changed once the node has run.

    An operator changes the variables that are its auxiliary states.
    """
    changes: dict[int, int] = {}
    versions: dict[int, list[int]] = {}
    for node in order:
        for source, _ in node.state_inputs:
            changes[id(source)] = changes.get(id(source), 0) + 1
        versions[id(node)] = [changes.get(id(source), 0) for source, _ in node.inputs]
    return versions


def _listing(node: Node, versions: Sequence[int]) -> list[str]:
    if node.operation is None:
        return [f"Variable:{node.name}"]
    lines = ["-" * 20, f"Op:{node.operation.name}, Name={node.name}", "Inputs:"]
    for at, ((source, index), version) in enumerate(zip(node.inputs, versions, strict=True)):
        suffix = f" version={version}" if source.is_variable else ""
        lines.append(f"\targ[{at}]={source.name}({index}){suffix}")
    attributes = _saved_attributes(node)
    if attributes:
        lines += ["Attrs:", *(f"\t{key}={value}" for key, value in attributes.items())]
    return lines


def _node_text(
    node: Node, index: dict[int, int], versions: Sequence[int], contested: Set[str], indent: int
) -> str:
    fields = [
        ("op", _string("null" if node.operation is None else node.operation.name)),
        ("name", _string(node.name)),
    ]
    attributes = {key: _string(value) for key, value in _saved_attributes(node, contested).items()}
    if attributes:
        fields.append(("attrs", _object(attributes.items(), indent + 2, len(attributes) > 1)))
    inputs = [
        (index[id(source)], at, version)
        for (source, at), version in zip(node.inputs, versions, strict=True)
    ]
    fields.append(("inputs", _entries(inputs, indent + 2)))
    if node.operation is not None and node.operation.subgraphs:
        graphs = [
            _object(_graph_fields(graph.outputs, contested, indent + 4), indent + 4)
            for graph in node.operation.subgraphs
        ]
        fields.append(("subgraphs", _array(graphs, indent + 2, True)))
    return _object(fields, indent)


def _string(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'


def _entries(entries: Sequence[tuple[int, int, int]], indent: int) -> str:
    """Return node outputs as JSON: node, output, and number of earlier changes."""
    texts = [f"[{node}, {index}, {version}]" for node, index, version in entries]
    return _array(texts, indent, len(texts) >= _LONG)


def _array(texts: Sequence[str], indent: int, long: bool) -> str:
    return "[" + _join_elements(texts, indent, long) + "]"


def _object(fields: Iterable[tuple[str, str]], indent: int, long: bool = True) -> str:
    return "{" + _join_elements([f'"{_key(k)}": {v}' for k, v in fields], indent, long) + "}"


def _key(name: str) -> str:
    return name.translate(_ESCAPES)


def _join_elements(texts: Sequence[str], indent: int, long: bool) -> str:
    """Join elements, one per line if there are many."""
    if not long:
        return ", ".join(texts)
    inner, outer = "\n" + " " * (indent + 2), "\n" + " " * indent
    return inner + f", {inner}".join(texts) + outer
